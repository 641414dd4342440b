package io.bloomguard.web.internal;

import io.bloomguard.guard.AnswerType;
import io.bloomguard.guard.Finding;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.servlet.ModelAndView;

/** The pages of Spring MVC, read by their status; a page without one shows nothing of its key. */
public final class ModelAndViewAnswers {

  private ModelAndViewAnswers() {}

  /** {@return models with their views} */
  public static AnswerType<ModelAndView> pages() {
    return AnswerType.of(ModelAndView.class, ModelAndViewAnswers::read, () -> null);
  }

  private static Finding read(ModelAndView page) {
    HttpStatusCode status = page.getStatus();
    return status == null || status.is2xxSuccessful()
        ? Finding.UNCLEAR
        : HttpAnswers.of(status, page);
  }
}
