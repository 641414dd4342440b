package io.bloomguard.web.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.springframework.http.HttpStatus;

class ProblemTest {

  @Test
  @ResourceLock(Resources.LOCALE)
  void theStatusHasTheDigitsOfJsonWhateverTheLocale() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG"));
    try {
      String body =
          new String(Problem.body(HttpStatus.NOT_FOUND, "Not here"), StandardCharsets.UTF_8);
      assertThat(body).contains("\"status\":404,");
    } finally {
      Locale.setDefault(before);
    }
  }
}
