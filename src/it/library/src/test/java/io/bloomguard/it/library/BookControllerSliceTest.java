package io.bloomguard.it.library;

import static io.bloomguard.test.BloomguardAssertions.assertThat;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.bloomguard.guard.BloomGuards;
import io.bloomguard.test.AutoConfigureBloomguard;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.MockMvc;

/** The controller in a slice, which has no database. */
class BookControllerSliceTest {

  private static final String RULE = "bloomguard.web.rules[0].pattern=/books/{id}";
  private static final String FILTER = "bloomguard.web.rules[0].filter=books";
  private static final String KEY = "bloomguard.web.rules[0].key=id";
  private static final String TYPE = "bloomguard.web.rules[0].type=long";

  @Nested
  @WebMvcTest(
      controllers = BookController.class,
      properties = {RULE, FILTER, KEY, TYPE})
  class WithoutGuards {

    @MockitoBean private Books books;
    @Autowired private ObjectProvider<BloomGuards> guards;
    @Autowired private MockMvc mvc;

    @Test
    void nothingIsGuarded() throws Exception {
      given(books.find(9)).willReturn(Optional.of(new Book(9, "Nine")));

      mvc.perform(get("/books/9")).andExpect(status().isOk());
      assertThat(guards.getIfAvailable()).isNull();
    }
  }

  @Nested
  @WebMvcTest(
      controllers = BookController.class,
      properties = {RULE, FILTER, KEY, TYPE})
  @AutoConfigureBloomguard
  class WithGuards {

    @MockitoBean private Books books;
    @Autowired private BloomGuards guards;
    @Autowired private MockMvc mvc;

    @Test
    void rulesOfThePathApply() throws Exception {
      guards.guard("books").put(7);
      given(books.find(anyLong())).willReturn(Optional.of(new Book(7, "Seven")));

      assertThat(guards).has("books", 7).rejects("books", 9);
      mvc.perform(get("/books/9")).andExpect(status().isNotFound());
      mvc.perform(get("/books/7")).andExpect(status().isOk());
      verify(books, never()).find(9);
    }
  }
}
