// Elements of the page. Text enters the page only as text nodes and as attributes that no browser
// interprets: nothing that a bot wrote can become markup, an address or a style.

const SVG = 'http://www.w3.org/2000/svg';

/** An element of HTML. Attributes whose names begin with `on` are listeners. */
function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** An element of SVG. */
function shape(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

/** A link to another view of this page. */
function link(parameters, ...children) {
  return element('a', { href: address(parameters) }, ...children);
}

/** The address of a view: its parameters after `#`. */
function address(parameters) {
  const known = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '');
  return '#' + new URLSearchParams(known).toString();
}

/** The parameters of the address that is shown. */
function currentParameters() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

/** A table with a caption; cells are nodes or texts, and the first one of each row is its heading. */
function table(caption, headings, rows, attributes = {}) {
  return element('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': caption },
    element('table', { class: 'stacks', ...attributes },
      element('caption', {}, caption),
      element('thead', {}, element('tr', {}, headings.map((it) => element('th', { scope: 'col' }, it)))),
      element('tbody', {}, rows.map((cells) => element('tr', {},
        cells.map((cell, place) => place === 0
          ? element('th', { scope: 'row' }, cell)
          : element('td', { 'data-heading': headings[place] }, cell)))))));
}

/**
 * Hostile text with the characters made visible that could hide, reorder or join others: those of
 * control and format, separators of lines, and fillers.
 */
function harmless(text) {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\ufe00-\ufe0f]/gu, (it) => (
    it === '\n' || it === '\t' ? it : `\\u{${it.codePointAt(0).toString(16)}}`));
}

/** A button that copies a text, and says so. */
function copyButton(label, text) {
  const button = element('button', { type: 'button', onclick: copy }, label);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = 'copied';
    } catch {
      // Pages from disk may be refused the clipboard.
      const field = element('textarea', { readonly: true, rows: 3, 'aria-label': label });
      field.value = text();
      button.replaceWith(field);
      field.select();
      return;
    }
    setTimeout(() => { button.textContent = label; }, 1500);
  }
  return button;
}

/** A time in µs with a unit that keeps it short. */
function readableTime(microseconds) {
  if (microseconds === null || microseconds === undefined) return '–';
  if (microseconds < 1e3) return `${microseconds} µs`;
  if (microseconds < 1e6) return `${(microseconds / 1e3).toPrecision(3)} ms`;
  return `${(microseconds / 1e6).toPrecision(3)} s`;
}

function perCent(share) {
  return share === null || share === undefined ? '–' : `${(100 * share).toFixed(1)} %`;
}

/** Elo as a whole number with a real minus sign; `bound` stands before it. */
function elo(value, bound = '') {
  if (value === null || value === undefined) return '–';
  const rounded = Math.round(value);
  return `${bound}${rounded < 0 ? '−' : '+'}${Math.abs(rounded)}`;
}

function counted(number, one, several = `${one}s`) {
  return `${number.toLocaleString('en')} ${number === 1 ? one : several}`;
}

/** The Elo of an entrant with its interval; or what stands for a bound, which may be misleading. */
function rating(row) {
  if (row.elo === null) return '–';
  if (row.bound === '') return elo(row.elo) + (row.error95 === null ? '' : ` ± ${Math.round(row.error95)}`);
  const bound = row.is_bound_misleading ? null : elo(row.elo, row.bound);
  return [row.sweep, bound && (row.sweep ? `(${bound})` : bound)].filter((it) => it).join(' ') || row.bound;
}
