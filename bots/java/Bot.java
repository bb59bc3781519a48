// A starter bot for awalé in Java, with nothing but the standard library. Copy this file, change
// choose(), and enter it into a tournament:
//
//     javac Bot.java && java -Xmx256m -XX:+UseSerialGC Bot
//
// (`java Bot.java` works too, but compiles at every start, which takes twenty times as long.)
//
// The referee writes one JSON object per line to our standard input. We answer three kinds of
// message, each with one line on standard output. Debug text belongs on standard error:
// System.err.println("…"). A second line on standard output would lose the game.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

public class Bot {
    /** new-game gives our dice the seed: the same games can then be played again. */
    private static final Random dice = new Random(0);

    /** How many seeds a move takes from the opponent's row (pits 6 to 11). */
    static int captured(int[] before, int pit) {
        int[] board = before.clone();
        int seeds = board[pit];
        board[pit] = 0;
        int at = pit;
        while (seeds > 0) {
            at = (at + 1) % 12;
            if (at != pit) { // the pit we sow from is left out on every lap
                board[at]++;
                seeds--;
            }
        }
        int taken = 0;
        while (at >= 6 && (board[at] == 2 || board[at] == 3)) { // backward along the capture
            taken += board[at];
            at--;
        }
        // The whole row would be a grand slam, which takes nothing by most rule sets: docs/rules.md.
        int row = 0;
        for (int i = 6; i < 12; i++) row += board[i];
        return taken == row ? 0 : taken;
    }

    /**
     * Returns the pit to play. YOUR IDEA GOES HERE.
     *
     * @param board 12 numbers seen from our side: 0-5 are our pits in sowing order, 6-11 theirs
     * @param legal the pits we may play
     * @param message the whole message, which says more: message.get("stores")
     */
    static int choose(int[] board, int[] legal, Map<?, ?> message) {
        List<Integer> best = new ArrayList<>();
        int most = -1;
        for (int pit : legal) {
            int taken = captured(board, pit);
            if (taken > most) {
                most = taken;
                best.clear();
            }
            if (taken == most) best.add(pit);
        }
        return best.get(dice.nextInt(best.size()));
    }

    static void answer(String line) {
        System.out.println(line);
        System.out.flush(); // without the flush the referee may wait in vain
    }

    /**
     * Java loads a class when it is first used, and that takes time: plays one move, without
     * writing it, so that the first real move is not late. The `+` of strings, lambdas, streams
     * and regular expressions each cost tens of milliseconds when they are first used.
     */
    static void warmUp() {
        int[] board = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
        choose(board, new int[] {0, 1, 2, 3, 4, 5}, new LinkedHashMap<>());
    }

    public static void main(String[] words) throws IOException {
        BufferedReader input =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line;
        while ((line = input.readLine()) != null) {
            Map<?, ?> message = (Map<?, ?>) new Json(line).value();
            switch (String.valueOf(message.get("type"))) {
                case "hello": // once, when the program starts
                    warmUp();
                    answer("{\"type\":\"ready\",\"name\":\"my-bot\",\"version\":\"1.0\"}");
                    break;
                case "new-game": // forget the last game here
                    Object seed = message.get("seed");
                    dice.setSeed(seed instanceof Number ? ((Number) seed).longValue() : 0);
                    answer("{\"type\":\"ready\"}");
                    break;
                case "turn":
                    int[] board = numbers(message.get("board"));
                    int[] legal = numbers(message.get("legal"));
                    String pit = String.valueOf(choose(board, legal, message));
                    answer("{\"type\":\"move\",\"pit\":".concat(pit).concat("}"));
                    break;
                case "quit":
                    return;
                default: // no answer to game-over, nor to a kind that a later version may add
            }
        }
    }

    /** The whole numbers of a JSON array. */
    static int[] numbers(Object array) {
        List<?> items = (List<?>) array;
        int[] numbers = new int[items.size()];
        for (int i = 0; i < numbers.length; i++) numbers[i] = ((Number) items.get(i)).intValue();
        return numbers;
    }

    // ---- A small JSON reader: nothing below needs to change. ----------------------------------

    /** Reads objects as Map, arrays as List, numbers as Long or Double, and the rest as it is. */
    static final class Json {
        private final String text;
        private int at = 0;

        Json(String text) {
            this.text = text;
        }

        Object value() {
            switch (next()) {
                case '{': {
                    Map<String, Object> object = new LinkedHashMap<>();
                    at++;
                    while (next() != '}') {
                        if (text.charAt(at) == ',') at++;
                        next();
                        String key = string();
                        next();
                        at++; // the colon
                        object.put(key, value());
                    }
                    at++;
                    return object;
                }
                case '[': {
                    List<Object> array = new ArrayList<>();
                    at++;
                    while (next() != ']') {
                        if (text.charAt(at) == ',') at++;
                        array.add(value());
                    }
                    at++;
                    return array;
                }
                case '"':
                    return string();
                default:
                    return word();
            }
        }

        /** Skips white space. Returns the character there; a text that ends too early throws. */
        private char next() {
            while (Character.isWhitespace(text.charAt(at))) at++;
            return text.charAt(at);
        }

        private String string() {
            StringBuilder found = new StringBuilder();
            for (at++; text.charAt(at) != '"'; at++) {
                char letter = text.charAt(at);
                if (letter == '\\') {
                    letter = text.charAt(++at);
                    int escape = "bfnrt".indexOf(letter);
                    if (escape >= 0) {
                        letter = "\b\f\n\r\t".charAt(escape);
                    } else if (letter == 'u') {
                        letter = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
                        at += 4;
                    }
                }
                found.append(letter);
            }
            at++;
            return found.toString();
        }

        /** A number, true, false or null. */
        private Object word() {
            int start = at;
            while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) at++;
            String word = text.substring(start, at);
            switch (word) {
                case "true":
                    return true;
                case "false":
                    return false;
                case "null":
                    return null;
                default:
                    try {
                        return Long.parseLong(word);
                    } catch (NumberFormatException fraction) {
                        return Double.parseDouble(word);
                    }
            }
        }
    }
}
