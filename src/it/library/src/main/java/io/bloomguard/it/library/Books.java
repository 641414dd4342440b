package io.bloomguard.it.library;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/** The books in the database. */
@Repository
public class Books {

  private final JdbcClient jdbc;

  Books(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  @BloomGuarded(filter = "books", key = "#id")
  public Optional<Book> find(long id) {
    return jdbc.sql("select id, title from books where id = ?")
        .param(id)
        .query(Book.class)
        .optional();
  }

  @Transactional
  @BloomPut(filter = "books", key = "#book.id")
  public void save(Book book) {
    jdbc.sql("insert into books (id, title) values (?, ?)")
        .param(book.id())
        .param(book.title())
        .update();
  }
}
