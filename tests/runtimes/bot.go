// Answers with the first legal pit, from a goroutine, and leaves much to be collected.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

var held [][]byte

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<16), 1<<20)
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.Contains(line, `"type":"quit"`):
			return
		case strings.Contains(line, `"type":"game-over"`):
		case strings.Contains(line, `"type":"turn"`):
			answer := make(chan byte)
			go func() {
				held = nil
				for i := 0; i < 64; i++ {
					held = append(held, make([]byte, 64<<10))
				}
				answer <- line[strings.Index(line, `"legal":[`)+9]
			}()
			fmt.Printf("{\"type\":\"move\",\"pit\":%c}\n", <-answer)
		default:
			fmt.Println(`{"type":"ready"}`)
		}
	}
}
