package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

func main() {
	best := 0
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		line := in.Text()
		if _, legal, found := strings.Cut(line, `"legal":[`); found {
			fmt.Printf("{\"type\":\"move\",\"pit\":%c}\n", legal[0])
		} else if strings.Contains(line, `"hello"`) || strings.Contains(line, `"new-game"`) {
			fmt.Println(`{"type":"ready"}`)
		}
	}
}
