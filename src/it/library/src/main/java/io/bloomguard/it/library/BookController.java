package io.bloomguard.it.library;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Books over HTTP. */
@RestController
class BookController {

  private final Books books;

  BookController(Books books) {
    this.books = books;
  }

  @GetMapping("/books/{id}")
  ResponseEntity<Book> get(@PathVariable long id) {
    return ResponseEntity.of(books.find(id));
  }

  @PostMapping("/books")
  @ResponseStatus(HttpStatus.CREATED)
  void add(@RequestBody Book book) {
    books.save(book);
  }
}
