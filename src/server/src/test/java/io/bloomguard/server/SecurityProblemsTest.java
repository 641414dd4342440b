package io.bloomguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.springframework.http.HttpStatus;
import org.springframework.mock.web.MockHttpServletResponse;

class SecurityProblemsTest {

  @Test
  @ResourceLock(Resources.LOCALE)
  void theStatusHasTheDigitsOfJsonWhateverTheLocale() throws IOException {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG"));
    try {
      MockHttpServletResponse response = new MockHttpServletResponse();
      SecurityProblems.write(response, HttpStatus.FORBIDDEN, "No right");
      assertThat(response.getContentAsString()).contains("\"status\":403,");
    } finally {
      Locale.setDefault(before);
    }
  }
}
