// Whether a page can be read by everybody: by screen readers (the rules of axe-core for WCAG 2.1 AA,
// which include names, tables, headings and the contrast of text), and by those who see fewer
// colours (the colours of results stay apart).

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'];

/** The elements that break a rule, each in a text that says which one. */
export async function barriers(page, view) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate((rules) => window.axe.run(document, { runOnly: rules }), RULES);
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${view}: ${id}: ${node.html.slice(0, 160)}: ${node.failureSummary}`));
}

// How colours look without the cones for long, middle and short waves, on linear RGB: Machado,
// Oliveira and Fernandes, A Physiologically-based Model for Simulation of Color Vision Deficiency,
// 2009, severity 1.
const SIGHTS = {
  trichromacy: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
};
// sRGB to XYZ, with the white point D65: IEC 61966-2-1.
const TO_XYZ = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]];
const WHITE = [0.9505, 1, 1.089];
/** The least distance of two colours in CIELAB: some ten times what can just be told apart. */
const LEAST_DISTANCE = 20;

const times = (matrix, vector) => matrix.map((row) => row.reduce((sum, it, place) => sum + it * vector[place], 0));

/** A colour `#rrggbb` in CIELAB, as it is seen. */
function seen(colour, sight) {
  const linear = [1, 3, 5].map((place) => parseInt(colour.slice(place, place + 2), 16) / 255)
    .map((it) => (it <= 0.04045 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4));
  const light = times(sight, linear).map((it) => Math.min(Math.max(it, 0), 1));
  const [x, y, z] = times(TO_XYZ, light).map((it, place) => it / WHITE[place])
    .map((it) => (it > 216 / 24389 ? Math.cbrt(it) : (24389 / 27 * it + 16) / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** Fails if two colours of results look alike to somebody. */
export async function coloursStayApart(page, scheme) {
  const colours = await page.evaluate(() => Object.fromEntries(['won', 'drawn', 'lost', 'paper']
    .map((name) => [name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()])));
  for (const [sight, matrix] of Object.entries(SIGHTS)) {
    const all = Object.entries(colours).map(([name, colour]) => [name, seen(colour, matrix)]);
    for (const [place, [one, first]] of all.entries()) {
      for (const [other, second] of all.slice(place + 1)) {
        const distance = Math.hypot(...first.map((it, axis) => it - second[axis]));
        assert.ok(distance >= LEAST_DISTANCE, `${scheme}, ${sight}: ${one} and ${other} are ${distance.toFixed(1)} apart`);
      }
    }
  }
}
