package io.bloomguard.autoconfigure;

import io.bloomguard.guard.AnswerType;
import io.bloomguard.web.internal.HttpAnswers;
import io.bloomguard.web.internal.ModelAndViewAnswers;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.http.HttpEntity;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponse;

/** The types of answers that Spring's web frameworks have. */
@Configuration(proxyBeanMethods = false)
class AnswerTypesConfiguration {

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(HttpEntity.class)
  static class HttpConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static AnswerType<?> bloomguardHttpEntities() {
      return HttpAnswers.entities();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static AnswerType<ProblemDetail> bloomguardProblemDetails() {
      return HttpAnswers.problems();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static AnswerType<ErrorResponse> bloomguardErrorResponses() {
      return HttpAnswers.errors();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static AnswerType<Throwable> bloomguardWebExceptions() {
      return HttpAnswers.exceptions();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "org.springframework.web.servlet.ModelAndView")
  static class PageConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static AnswerType<?> bloomguardPages() {
      return ModelAndViewAnswers.pages();
    }
  }
}
