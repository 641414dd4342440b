// Inserts a product, whose key enters the filter before its row becomes visible: go run insert.go "Blue lamp"
//
// DATABASE is a URL of PostgreSQL, BLOOMGUARD_URL the server's address, BLOOMGUARD_AUTHORIZATION the header for it.
package main

import (
	"database/sql"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	_ "github.com/lib/pq"
)

// tag::insert[]
func insert(database *sql.DB, name string) error {
	tx, err := database.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after a commit
	var id int64
	if err := tx.QueryRow("insert into products (name) values ($1) returning id", name).Scan(&id); err != nil {
		return err
	}
	if err := add("products", id); err != nil {
		return err // the filter may lack the key
	}
	return tx.Commit()
}

var calls = http.Client{Timeout: 5 * time.Second}

func add(filter string, id int64) error {
	address := os.Getenv("BLOOMGUARD_URL") + "/v1/filters/" + filter + "/keys"
	call, err := http.NewRequest("POST", address, strings.NewReader(fmt.Sprintf(`{"keys":[%d]}`, id)))
	if err != nil {
		return err
	}
	call.Header.Set("Content-Type", "application/json")
	call.Header.Set("Authorization", os.Getenv("BLOOMGUARD_AUTHORIZATION"))
	answer, err := calls.Do(call)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the key was not added: %s", answer.Status)
	}
	return nil
}

// end::insert[]

func main() {
	database, err := sql.Open("postgres", os.Getenv("DATABASE"))
	if err == nil {
		err = insert(database, os.Args[1])
	}
	if err != nil {
		log.Fatal(err)
	}
}
