// Sorts parcels by their postal codes. SPDX-License-Identifier: MIT
package main

import (
	"fmt"
	"os"
	"regexp"
	"runtime/pprof"
)

var code = regexp.MustCompile(`\b([0-9]{2})[0-9]{3}\b`)

func zoneOf(address string) string {
	if found := code.FindStringSubmatch(address); found != nil {
		return found[1]
	}
	return ""
}

func checksum(address string) int {
	total := 0
	for round := 0; round < 8; round++ {
		for _, letter := range address {
			total = (total*31 + int(letter)) % 1000003
		}
	}
	return total
}

func sortParcels(count int) (map[string]int, int) {
	zones, total := map[string]int{}, 0
	for i := 0; i < count; i++ {
		address := fmt.Sprintf("Depot street %d, %05d Town", i%97, 10000+i%80000)
		zones[zoneOf(address)]++
		total += checksum(address)
	}
	return zones, total
}

func main() {
	if len(os.Args) > 1 {
		file, err := os.Create(os.Args[1])
		if err != nil {
			panic(err)
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			panic(err)
		}
		defer pprof.StopCPUProfile()
	}
	zones, total := sortParcels(400000)
	fmt.Println(len(zones), total)
}
