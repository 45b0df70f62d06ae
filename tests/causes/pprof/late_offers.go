// Asks for offers with a time limit: the askers of late offers never end. SPDX-License-Identifier: MIT
package main

import (
	"fmt"
	"os"
	"runtime/pprof"
	"time"
)

func askOffer(answers chan<- int, wait time.Duration) {
	time.Sleep(wait)
	answers <- 1
}

func bestOffer(i int) int {
	answers := make(chan int)
	go askOffer(answers, time.Duration(1+i%4)*time.Millisecond)
	select {
	case offer := <-answers:
		return offer
	case <-time.After(2500 * time.Microsecond):
		return 0
	}
}

func heartbeat() {
	for range time.Tick(time.Hour) {
	}
}

func main() {
	for i := 0; i < 5; i++ {
		go heartbeat()
	}
	offers := 0
	for i := 0; i < 1200; i++ {
		offers += bestOffer(i)
	}
	if len(os.Args) > 1 {
		file, err := os.Create(os.Args[1])
		if err != nil {
			panic(err)
		}
		defer file.Close()
		if err := pprof.Lookup("goroutine").WriteTo(file, 0); err != nil {
			panic(err)
		}
	}
	fmt.Println(offers, pprof.Lookup("goroutine").Count())
}
