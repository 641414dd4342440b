package io.bloomguard.web.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.KeyAbsentException;
import io.bloomguard.guard.KeyRejectedException;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.MethodParameter;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpInputMessage;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpOutputMessage;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.converter.AbstractHttpMessageConverter;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.mock.web.MockServletContext;
import org.springframework.test.web.servlet.request.MockMvcRequestBuilders;
import org.springframework.test.web.servlet.setup.DefaultMockMvcBuilder;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.filter.ServerHttpObservationFilter;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;

/**
 * A rejection is answered as Spring's resolvers would answer it through {@link
 * GuardExceptionHandler}, without them; and by the application's own parts wherever it has some.
 */
class RejectionResolverTest {

  private static final String ORIGIN = "http://shop.example";

  /** By their parts. */
  private static final Map<List<Class<?>>, AnnotationConfigWebApplicationContext> CONTEXTS =
      new HashMap<>();

  @RestController
  static class Products {
    @GetMapping("/products/{id}")
    @CrossOrigin(ORIGIN)
    String product(@PathVariable String id) {
      throw id.equals("listed")
          ? new KeyRejectedException("products")
          : id.equals("sub") ? new Sub() : new KeyAbsentException("products");
    }
  }

  @SuppressWarnings("serial")
  static class Sub extends KeyAbsentException {
    Sub() {
      super("products");
    }
  }

  @RestController
  static class Choosy {
    @GetMapping("/choosy/{id}")
    String product(@PathVariable String id) {
      throw new KeyAbsentException("products");
    }

    @ExceptionHandler(RuntimeException.class)
    @ResponseStatus(HttpStatus.GONE)
    String own() {
      return "own";
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableWebMvc
  static class Web {
    @Bean
    Products products() {
      return new Products();
    }

    @Bean
    Choosy choosy() {
      return new Choosy();
    }

    @Bean
    GuardExceptionHandler guardExceptionHandler() {
      return new GuardExceptionHandler();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Written {
    @Bean
    RejectionResolver resolver(ApplicationContext context) {
      return new RejectionResolver(context);
    }
  }

  @AfterAll
  static void close() {
    CONTEXTS.values().forEach(AnnotationConfigWebApplicationContext::close);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "*/*",
        "application/json",
        "application/json;charset=UTF-16",
        "application/json;q=0",
        "application/problem+json",
        "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "application/xml",
        "image/png"
      })
  void answerIsThatOfSpringsResolversWithoutThePath(String accept) throws Exception {
    MockHttpServletResponse resolved = get("/products/31337", accept, Web.class);
    assertThat(resolved.getContentAsString()).contains("\"instance\":\"/products/31337\"");
    MockHttpServletResponse written = get("/products/31337", accept, Web.class, Written.class);
    assertThat(written.getStatus()).isEqualTo(resolved.getStatus()).isEqualTo(404);
    assertThat(written.getContentType()).isEqualTo(resolved.getContentType());
    assertThat(written.getHeaders("Vary")).isEqualTo(resolved.getHeaders("Vary"));
    assertThat(written.getHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN)).isEqualTo(ORIGIN);
    assertThat(written.getContentAsByteArray()).isEqualTo(bytes(Problem.ABSENT));
  }

  @Test
  void blacklistedKeyIsForbidden() throws Exception {
    MockHttpServletResponse answer = get("/products/listed", "", Web.class, Written.class);
    assertThat(answer.getStatus()).isEqualTo(403);
    assertThat(answer.getContentAsByteArray()).isEqualTo(bytes(Problem.REJECTED));
  }

  @Test
  void headIsAnsweredAsGet() throws Exception {
    MockHttpServletResponse answer =
        send(HttpMethod.HEAD, "/products/7", "", Web.class, Written.class);
    assertThat(answer.getStatus()).isEqualTo(404);
    assertThat(answer.getContentLength()).isEqualTo(bytes(Problem.ABSENT).length);
  }

  @Test
  void requestIsObservedWithThePatternOfItsHandler() throws Exception {
    MeterRegistry meters = new SimpleMeterRegistry();
    ObservationRegistry observations = ObservationRegistry.create();
    observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
    builder(Web.class, Written.class)
        .addFilters(new ServerHttpObservationFilter(observations))
        .build()
        .perform(MockMvcRequestBuilders.get("/products/7"));
    assertThat(
            meters
                .get("http.server.requests")
                .tags("uri", "/products/{id}", "status", "404")
                .timer()
                .count())
        .isEqualTo(1);
  }

  @Test
  void handlersOwnExceptionHandlerDecides() throws Exception {
    MockHttpServletResponse answer = get("/choosy/7", "", Web.class, Written.class);
    assertThat(answer.getStatus()).isEqualTo(410);
    assertThat(answer.getContentAsString()).isEqualTo("own");
  }

  @Test
  void anExceptionOfTheApplicationsOwnIsLeftToSpring() throws Exception {
    assertThat(get("/products/sub", "", Web.class, Written.class).getContentAsString())
        .contains("\"instance\"");
  }

  @RestControllerAdvice
  static class OwnAdvice {
    @ExceptionHandler(RuntimeException.class)
    @ResponseStatus(HttpStatus.GONE)
    String own() {
      return "own";
    }
  }

  @RestControllerAdvice
  static class Traced implements ResponseBodyAdvice<Object> {
    @Override
    public boolean supports(
        MethodParameter returned, Class<? extends HttpMessageConverter<?>> converter) {
      return true;
    }

    @Override
    public @Nullable Object beforeBodyWrite(
        @Nullable Object body,
        MethodParameter returned,
        MediaType type,
        Class<? extends HttpMessageConverter<?>> converter,
        ServerHttpRequest request,
        ServerHttpResponse response) {
      if (body instanceof ProblemDetail problem) {
        problem.setDetail("own");
      }
      return body;
    }
  }

  static class Intercepted implements WebMvcConfigurer {
    @Override
    public void addErrorResponseInterceptors(List<ErrorResponse.Interceptor> interceptors) {
      interceptors.add((problem, response) -> problem.setDetail("own"));
    }
  }

  static class OwnResolvers implements WebMvcConfigurer {
    @Override
    public void extendHandlerExceptionResolvers(List<HandlerExceptionResolver> resolvers) {
      resolvers.add(0, new OwnResolver());
    }
  }

  static class OwnResolver implements HandlerExceptionResolver, Ordered {
    @Override
    public ModelAndView resolveException(
        HttpServletRequest request,
        HttpServletResponse response,
        @Nullable Object handler,
        Exception exception) {
      response.setStatus(410);
      response.setHeader("by", "own");
      return new ModelAndView();
    }

    /** Before Spring's, and after ours. */
    @Override
    public int getOrder() {
      return 0;
    }
  }

  static class OnlyLooking implements HandlerExceptionResolver, Ordered {
    @Override
    public @Nullable ModelAndView resolveException(
        HttpServletRequest request,
        HttpServletResponse response,
        @Nullable Object handler,
        Exception exception) {
      return null;
    }

    @Override
    public int getOrder() {
      return Ordered.HIGHEST_PRECEDENCE;
    }
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        OwnAdvice.class,
        Traced.class,
        Intercepted.class,
        OwnResolvers.class,
        OwnResolver.class
      })
  void partOfTheApplicationDecides(Class<?> own) throws Exception {
    MockHttpServletResponse answer = get("/products/7", "", own, Web.class, Written.class);
    assertThat(answer.getContentAsString() + answer.getHeader("by")).contains("own");
  }

  @Test
  void resolverThatOnlyLooksChangesNothing() throws Exception {
    assertThat(
            get("/products/7", "", OnlyLooking.class, Web.class, Written.class)
                .getContentAsByteArray())
        .isEqualTo(bytes(Problem.ABSENT));
  }

  static class Xml implements WebMvcConfigurer {
    /** The way that Spring 6 has, too. */
    @Override
    @SuppressWarnings("removal")
    public void extendMessageConverters(List<HttpMessageConverter<?>> converters) {
      converters.add(0, new XmlProblems());
    }
  }

  static class XmlProblems extends AbstractHttpMessageConverter<ProblemDetail> {
    XmlProblems() {
      super(MediaType.APPLICATION_PROBLEM_XML);
    }

    @Override
    protected boolean supports(Class<?> type) {
      return type == ProblemDetail.class;
    }

    @Override
    protected ProblemDetail readInternal(
        Class<? extends ProblemDetail> type, HttpInputMessage message) {
      throw new UnsupportedOperationException();
    }

    @Override
    protected void writeInternal(ProblemDetail problem, HttpOutputMessage message)
        throws IOException {
      message.getBody().write("<problem/>".getBytes(StandardCharsets.UTF_8));
    }
  }

  @Test
  void requestsForAnotherFormatAreLeftToSpring() throws Exception {
    assertThat(
            get("/products/7", "application/problem+xml", Xml.class, Web.class, Written.class)
                .getContentAsString())
        .isEqualTo("<problem/>");
    assertThat(
            get("/products/7", "application/json", Xml.class, Web.class, Written.class)
                .getContentAsByteArray())
        .isEqualTo(bytes(Problem.ABSENT));
  }

  private static byte[] bytes(Problem problem) throws Exception {
    MockHttpServletResponse response = new MockHttpServletResponse();
    ServletProblems.write(problem, response);
    return response.getContentAsByteArray();
  }

  private static MockHttpServletResponse get(String path, String accept, Class<?>... parts)
      throws Exception {
    return send(HttpMethod.GET, path, accept, parts);
  }

  private static MockHttpServletResponse send(
      HttpMethod method, String path, String accept, Class<?>... parts) throws Exception {
    var request = MockMvcRequestBuilders.request(method, path);
    if (method == HttpMethod.GET) {
      request.header("Origin", ORIGIN);
    }
    if (!accept.isEmpty()) {
      request.header("Accept", accept);
    }
    return builder(parts).build().perform(request).andReturn().getResponse();
  }

  private static DefaultMockMvcBuilder builder(Class<?>... parts) {
    return MockMvcBuilders.webAppContextSetup(
        CONTEXTS.computeIfAbsent(List.of(parts), RejectionResolverTest::context));
  }

  private static AnnotationConfigWebApplicationContext context(List<Class<?>> parts) {
    AnnotationConfigWebApplicationContext context = new AnnotationConfigWebApplicationContext();
    context.setServletContext(new MockServletContext());
    context.register(parts.toArray(Class<?>[]::new));
    context.refresh();
    return context;
  }
}
