package io.bloomguard.it.kotlin

import io.bloomguard.annotation.BloomGuarded
import io.bloomguard.annotation.BloomPut
import io.bloomguard.generation.KeySource
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.yield
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.stereotype.Component
import org.springframework.stereotype.Service

// tag::books[]
data class Book(val isbn: String, val title: String)

@Service
class Books(private val store: BookStore) {

  @BloomGuarded(filter = "books", key = "#isbn")
  suspend fun find(isbn: String): Book? = store.find(isbn)

  @BloomPut(filter = "books", key = "#book.isbn")
  suspend fun save(book: Book) = store.save(book)
}

@Configuration
class BookKeys {

  @Bean
  fun isbns(store: BookStore) = KeySource { keys -> store.isbns().forEach { keys.accept(it) } }
}

// end::books[]

/** Where the books are. */
@Component
class BookStore {

  private val books = ConcurrentHashMap(mapOf("1" to Book("1", "One")))
  val finds = AtomicInteger()

  suspend fun find(isbn: String): Book? {
    yield()
    finds.incrementAndGet()
    return books[isbn]
  }

  suspend fun save(book: Book) {
    yield()
    books[book.isbn] = book
  }

  fun isbns(): List<String> = books.keys.toList()
}
