package io.bloomguard.it.kotlin

import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.boot.test.context.SpringBootTest

/** The recipe of the documentation. */
@SpringBootTest(
  properties =
    ["bloomguard.filters.books.verify.first=0", "bloomguard.filters.books.verify.sample=0"]
)
class BooksTest {

  @Autowired lateinit var books: Books

  @Autowired lateinit var store: BookStore

  @Test
  fun anAbsentKeyIsRejectedWithoutALookup() = runBlocking<Unit> {
    val before = store.finds.get()
    assertThat(books.find("none")).isNull()
    assertThat(store.finds.get()).isEqualTo(before)
  }

  @Test
  fun aKeyThatIsWrittenIsFound() = runBlocking<Unit> {
    assertThat(books.find("1")?.title).isEqualTo("One")
    assertThat(books.find("2")).isNull()
    books.save(Book("2", "Two"))
    assertThat(books.find("2")?.title).isEqualTo("Two")
  }
}
