// Keeps the names of goods from a long list. SPDX-License-Identifier: MIT
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
)

func readPage(page int) string {
	return fmt.Sprintf("good-%06d;", page) + strings.Repeat("description of the good ", 2000)
}

func nameOf(page string) string {
	return page[:strings.IndexByte(page, ';')]
}

func collectNames(pages int) []string {
	names := []string{}
	for i := 0; i < pages; i++ {
		names = append(names, nameOf(readPage(i)))
	}
	return names
}

func countStock(names []string) map[string]int {
	stock := map[string]int{}
	for i, name := range names {
		stock[name] = i
	}
	return stock
}

func main() {
	names := collectNames(3000)
	stock := countStock(names)
	runtime.GC()
	if len(os.Args) > 1 {
		file, err := os.Create(os.Args[1])
		if err != nil {
			panic(err)
		}
		defer file.Close()
		if err := pprof.Lookup("heap").WriteTo(file, 0); err != nil {
			panic(err)
		}
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	fmt.Println(len(stock), len(names), stats.HeapAlloc>>20, "MiB")
}
