// A starter bot for awalé in Go, with nothing but the standard library. Copy this file, change
// choose, and enter it into a tournament:
//
//	go build -o bot main.go
//
// The referee writes one JSON object per line to our standard input. We answer three kinds of
// message, each with one line on standard output. Debug text belongs on standard error:
// fmt.Fprintln(os.Stderr, "…"). A second line on standard output would lose the game.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"math/rand"
	"os"
)

// A message of the referee: the fields that we use. It says more, such as "clock": add a field
// here, and choose can read it.
type message struct {
	Type   string
	Seed   int64
	Board  [12]int
	Legal  []int
	Stores [2]int
}

// new-game gives our dice the seed: the same games can then be played again.
var dice = rand.New(rand.NewSource(0))

// captured returns how many seeds a move takes from the opponent's row (pits 6 to 11). It has a
// copy of the board.
func captured(board [12]int, pit int) int {
	seeds, at := board[pit], pit
	board[pit] = 0
	for seeds > 0 {
		at = (at + 1) % 12
		if at != pit { // the pit we sow from is left out on every lap
			board[at]++
			seeds--
		}
	}
	taken := 0
	for at >= 6 && (board[at] == 2 || board[at] == 3) { // backward along the capture
		taken += board[at]
		at--
	}
	// The whole row would be a grand slam, which takes nothing by most rule sets: docs/rules.md.
	row := 0
	for _, seeds := range board[6:] {
		row += seeds
	}
	if taken == row {
		return 0
	}
	return taken
}

// choose returns the pit to play. YOUR IDEA GOES HERE.
//
//	turn.Board   12 numbers seen from our side: 0-5 are our pits in sowing order, 6-11 theirs
//	turn.Legal   the pits we may play
//	turn.Stores  our captured seeds, and theirs
func choose(turn message) int {
	var best []int
	most := -1
	for _, pit := range turn.Legal {
		taken := captured(turn.Board, pit)
		if taken > most {
			most = taken
			best = nil
		}
		if taken == most {
			best = append(best, pit)
		}
	}
	return best[dice.Intn(len(best))]
}

func main() {
	input := bufio.NewReader(os.Stdin)
	for {
		line, err := input.ReadBytes('\n')
		if err != nil { // the end of the input: the referee is gone
			return
		}
		var received message
		if err := json.Unmarshal(line, &received); err != nil {
			log.Fatalf("cannot read %q: %v", line, err)
		}
		switch received.Type {
		case "hello": // once, when the program starts
			fmt.Println(`{"type":"ready","name":"my-bot","version":"1.0"}`)
		case "new-game": // forget the last game here
			dice = rand.New(rand.NewSource(received.Seed))
			fmt.Println(`{"type":"ready"}`)
		case "turn": // Go sends its standard output at once: no flush
			fmt.Printf("{\"type\":\"move\",\"pit\":%d}\n", choose(received))
		case "quit":
			return
		}
		// No answer to game-over, nor to a kind that a later version of the protocol may add.
	}
}
