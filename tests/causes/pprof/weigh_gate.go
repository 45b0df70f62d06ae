// Lorries pass a gate: each is weighed while the gate is locked. SPDX-License-Identifier: MIT
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

type gate struct {
	lock   sync.Mutex
	passed int
}

func weigh() {
	time.Sleep(2 * time.Millisecond)
}

func (g *gate) pass() {
	g.lock.Lock()
	weigh()
	g.passed++
	g.lock.Unlock()
}

func main() {
	name, kind := "", "mutex"
	if len(os.Args) > 2 {
		name, kind = os.Args[1], os.Args[2]
		runtime.SetMutexProfileFraction(1)
		runtime.SetBlockProfileRate(1)
	}
	var done sync.WaitGroup
	g := &gate{}
	for lorry := 0; lorry < 8; lorry++ {
		done.Add(1)
		go func() {
			defer done.Done()
			for i := 0; i < 100; i++ {
				g.pass()
			}
		}()
	}
	done.Wait()
	if name != "" {
		file, err := os.Create(name)
		if err != nil {
			panic(err)
		}
		defer file.Close()
		if err := pprof.Lookup(kind).WriteTo(file, 0); err != nil {
			panic(err)
		}
	}
	fmt.Println(g.passed)
}
