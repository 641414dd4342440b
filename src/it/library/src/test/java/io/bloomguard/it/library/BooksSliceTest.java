package io.bloomguard.it.library;

import static io.bloomguard.test.BloomguardAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.BloomGuards;
import io.bloomguard.test.AutoConfigureBloomguard;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.context.annotation.Import;

/** The repository in a slice, with the database and without the rest of the application. */
class BooksSliceTest {

  @Nested
  @JdbcTest
  @Import(Books.class)
  class WithoutGuards {

    @Autowired private Books books;

    @Test
    void annotationsDoNothing() {
      assertThat(AopUtils.isAopProxy(books)).isTrue(); // @Transactional
      assertThat(books.find(1)).isPresent();
      assertThat(books.find(9_999)).isEmpty();
    }
  }

  @Nested
  @JdbcTest
  @Import(Books.class)
  @AutoConfigureBloomguard
  class WithGuards {

    @Autowired private Books books;
    @Autowired private BloomGuards guards;

    @Test
    void annotationsWorkOnAFilterThatBeginsEmpty() {
      assertThat(guards).rejects("books", 1, 9_998);
      assertThat(books.find(1)).isEmpty();

      books.save(new Book(9_998, "A new one"));

      assertThat(guards).has("books", 9_998);
      assertThat(books.find(9_998)).isPresent();
    }
  }
}
