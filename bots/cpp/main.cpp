// A starter bot for awalé in C++17, with nothing but the standard library. Copy this file, change
// choose(), and enter it into a tournament:
//
//     c++ -std=c++17 -Wall -O2 -o bot main.cpp
//
// The referee writes one JSON object per line to our standard input. We answer three kinds of
// message, each with one line on standard output. Debug text belongs on standard error:
// std::cerr << "…\n". A second line on standard output would lose the game.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using Board = std::array<int, 12>;

// Our dice; new-game gives us the seed, so that the same games can be played again.
static std::mt19937_64 dice;

// How many seeds a move takes from the opponent's row (pits 6 to 11). It has a copy of the board.
static int captured(Board board, int pit) {
    int seeds = board[pit], at = pit, taken = 0, row = 0;
    board[pit] = 0;
    while (seeds > 0) {
        at = (at + 1) % 12;
        if (at != pit) { // the pit we sow from is left out on every lap
            board[at]++;
            seeds--;
        }
    }
    for (; at >= 6 && (board[at] == 2 || board[at] == 3); at--) // backward along the capture
        taken += board[at];
    // The whole row would be a grand slam, which takes nothing by most rule sets: docs/rules.md.
    for (int i = 6; i < 12; i++) row += board[i];
    return taken == row ? 0 : taken;
}

// Returns the pit to play. YOUR IDEA GOES HERE.
//   board  12 numbers seen from our side: 0-5 are our pits in sowing order, 6-11 theirs
//   legal  the pits we may play
// The message says more, such as "stores": main() can read it with numbers() or field().
static int choose(const Board &board, const std::vector<int> &legal) {
    std::vector<int> best;
    int most = -1;
    for (int pit : legal) {
        int taken = captured(board, pit);
        if (taken > most) {
            most = taken;
            best.clear();
        }
        if (taken == most) best.push_back(pit);
    }
    return best[dice() % best.size()];
}

// ---- Just enough JSON: nothing below needs to change. ------------------------------------------

// Texts are read from the front; what is left of them stands behind what was read.
static void skip_space(std::string_view &text) {
    const auto start = text.find_first_not_of(" \t\r\n");
    text.remove_prefix(start == text.npos ? text.size() : start);
}

static bool begins_with(std::string_view text, char sign) {
    return !text.empty() && text.front() == sign;
}

// Takes a string with its quotes, and returns what is between them, escapes as they stand.
static std::string_view take_string(std::string_view &text) {
    std::size_t end = 1;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    const auto found = text.substr(1, end - 1);
    text.remove_prefix(std::min(end + 1, text.size()));
    return found;
}

// Takes any value, up to the comma or bracket that follows it.
static std::string_view take_value(std::string_view &text) {
    const std::string_view whole = text;
    int depth = 0;
    while (!text.empty()) {
        const char sign = text.front();
        if (sign == '"') {
            take_string(text);
            continue;
        }
        if (depth == 0 && (sign == ',' || sign == ']' || sign == '}')) break;
        if (sign == '{' || sign == '[') depth++;
        if (sign == '}' || sign == ']') depth--;
        text.remove_prefix(1);
    }
    return whole.substr(0, whole.size() - text.size());
}

// The value of a field of the outermost object. Equal names inside other fields, and quotes or
// brackets inside strings, do not confuse it.
static std::optional<std::string_view> field(std::string_view line, std::string_view name) {
    skip_space(line);
    while (begins_with(line, '{') || begins_with(line, ',')) {
        line.remove_prefix(1);
        skip_space(line);
        if (!begins_with(line, '"')) break;
        const auto key = take_string(line);
        skip_space(line);
        if (!begins_with(line, ':')) break;
        line.remove_prefix(1);
        skip_space(line);
        const auto value = take_value(line);
        if (key == name) return value;
    }
    return std::nullopt;
}

// The whole numbers of an array.
static std::vector<int> numbers(std::string_view line, std::string_view name) {
    std::vector<int> found;
    auto array = field(line, name).value_or("");
    while (begins_with(array, '[') || begins_with(array, ',')) {
        array.remove_prefix(1);
        const std::string item(take_value(array));
        char *end = nullptr;
        const long number = std::strtol(item.c_str(), &end, 10);
        if (end == item.c_str()) break; // nothing between the brackets
        found.push_back(static_cast<int>(number));
    }
    return found;
}

// The text of a field, without escapes: enough for the types of messages.
static std::string_view text(std::string_view line, std::string_view name) {
    auto value = field(line, name).value_or("");
    return begins_with(value, '"') ? take_string(value) : std::string_view();
}

int main() {
    std::string line;
    while (std::getline(std::cin, line)) {
        const auto type = text(line, "type");
        // std::endl ends the line and flushes it: without the flush the referee waits in vain.
        if (type == "hello") { // once, when the program starts
            std::cout << R"({"type":"ready","name":"my-bot","version":"1.0"})" << std::endl;
        } else if (type == "new-game") { // forget the last game here
            const std::string seed(field(line, "seed").value_or("0"));
            dice.seed(std::strtoull(seed.c_str(), nullptr, 10));
            std::cout << R"({"type":"ready"})" << std::endl;
        } else if (type == "turn") {
            const auto pits = numbers(line, "board");
            const auto legal = numbers(line, "legal");
            Board board{};
            for (std::size_t i = 0; i < pits.size() && i < board.size(); i++) board[i] = pits[i];
            if (!legal.empty())
                std::cout << R"({"type":"move","pit":)" << choose(board, legal) << "}" << std::endl;
        } else if (type == "quit") {
            break;
        }
        // No answer to game-over, nor to a kind that a later version of the protocol may add.
    }
}
