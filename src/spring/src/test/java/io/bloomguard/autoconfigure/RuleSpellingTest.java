package io.bloomguard.autoconfigure;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.web.servlet.function.RequestPredicates.GET;

import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.web.BloomGuardFilter;
import io.bloomguard.web.WebRule;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.propertyeditors.StringTrimmerEditor;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.convert.ConversionService;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.support.ConfigurableWebBindingInitializer;
import org.springframework.web.bind.support.WebBindingInitializer;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.filter.ForwardedHeaderFilter;
import org.springframework.web.filter.UrlHandlerFilter;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.util.pattern.PathPatternParser;

/** Rules read the key as their handler does: no spelling of a listed key passes a blacklist. */
@ExtendWith(OutputCaptureExtension.class)
class RuleSpellingTest {

  private static final String LISTED = "0000000a-0001-0001-0001-000000000001";

  private static ServletWebServerApplicationContext context;

  enum Colour {
    RED,
    GREEN
  }

  @RestController
  static class Tokens {

    @RequestMapping("/long/{id}")
    String number(@PathVariable long id) {
      return "handled " + id;
    }

    @GetMapping("/int/{id}")
    String smaller(@PathVariable("id") Optional<Integer> key) {
      return "handled " + key;
    }

    @GetMapping(path = "/int/{id}", params = "wide")
    String wider(@PathVariable Long id) {
      return "handled " + id;
    }

    @GetMapping("/uuid/{key:.+}")
    String uuid(@PathVariable UUID key) {
      return "handled " + key;
    }

    @GetMapping("/colour/{id}")
    @CrossOrigin("http://shop.example")
    String colour(@PathVariable Colour id) {
      return "handled " + id;
    }

    @RequestMapping("/alike/{id}")
    String alike(@PathVariable Long id, NumberForm form) {
      return "handled " + form.id;
    }

    @GetMapping("/form/{id}")
    String form(Form form) {
      return "handled " + form.id;
    }

    @GetMapping("/all/{id}")
    String all(@PathVariable Map<String, String> all) {
      return "handled " + all;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({
    BloomguardAutoConfiguration.class,
    BloomguardWebAutoConfiguration.class,
    DispatcherServletAutoConfiguration.class,
    WebMvcAutoConfiguration.class,
    TomcatServletWebServerAutoConfiguration.class
  })
  static class Web {

    @Bean
    KeySource keys() {
      return sink -> {
        sink.accept(7L);
        sink.accept(3_000_000_000L);
        sink.accept(LISTED);
        sink.accept("RED");
      };
    }

    /** These three rewrite paths, and have no order. */
    @Bean
    UrlHandlerFilter slash() {
      return UrlHandlerFilter.trailingSlashHandler("/**").wrapRequest().build();
    }

    @Bean
    ForwardedHeaderFilter forwarded() {
      return new ForwardedHeaderFilter();
    }

    @Bean
    Filter alias() {
      return (request, response, chain) -> {
        String uri = ((HttpServletRequest) request).getRequestURI();
        chain.doFilter(
            !uri.startsWith("/alias/")
                ? request
                : new HttpServletRequestWrapper((HttpServletRequest) request) {
                  @Override
                  public String getRequestURI() {
                    return uri.replace("/alias/", "/long/");
                  }
                },
            response);
      };
    }

    @Bean
    Filter login() {
      return (request, response, chain) -> {
        if (request.getParameter("refused") == null) {
          chain.doFilter(request, response);
        } else {
          ((HttpServletResponse) response).sendError(401);
        }
      };
    }
  }

  @BeforeAll
  static void start() {
    String[] kinds = {"long", "int", "uuid", "colour", "all", "alike", "form"};
    SpringApplicationBuilder application =
        new SpringApplicationBuilder(Web.class, Tokens.class)
            .properties(
                "spring.config.location=optional:classpath:/none/",
                "server.port=0",
                "server.address=127.0.0.1",
                "bloomguard.filters.listed.false-positive-probability=0.000001",
                "bloomguard.filters.listed.source.bean=keys",
                "bloomguard.filters.listed.reject=present",
                "bloomguard.filters.listed.on-unknown=closed",
                "bloomguard.filters.listed.warm-up.mode=blocking");
    application.properties("bloomguard.web.rules[6].type=string");
    for (int i = 0; i < kinds.length; i++) {
      String rule = "bloomguard.web.rules[" + i + "].";
      application.properties(
          rule + "pattern=/" + kinds[i] + "/{id}", rule + "filter=listed", rule + "key=id");
    }
    context = (ServletWebServerApplicationContext) application.run();
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /long/7",
        "GET /long/07",
        "GET /long/+7",
        "GET /long/0x7",
        "GET /long/%207",
        "GET /long/%37",
        "GET /long/%D9%A7",
        "GET /long/7;a=b",
        "GET /long;a=b/7",
        "GET /long/7/",
        "GET /%6cong/007/",
        "GET /alias/07",
        "HEAD /long/07",
        "POST /long/07",
        "DELETE /long/07",
        "PURGE /long/07",
        "GET /int/007",
        "GET /int/%237",
        "GET /int/3000000000?wide",
        "GET /uuid/A-1-1-1-1",
        "GET /uuid/%200000000A-0001-0001-0001-000000000001",
        "GET /colour/RED",
        "GET /colour/%20RED%20",
        "GET /all/7",
        "GET /alike/7?id=8",
        "GET /alike/8?id=7",
        "GET /alike/8?id=8&id=7",
        "GET /alike/8?%69d=%207",
        "GET /form/8?id=7",
        "GET /form/abc?id=7"
      })
  void noSpellingOfAListedKeyPasses(String request) throws IOException {
    assertThat(status(send(request, ""))).isEqualTo(403);
  }

  @ParameterizedTest
  @CsvSource({
    "GET /long/8, 200",
    "GET /long/abc, 400",
    "GET /long/-7, 200",
    "GET /uuid/A-1-1-1-2, 200",
    "GET /colour/GREEN, 200",
    "GET /all/07, 200",
    "GET /long/8?id=7, 200",
    "GET /alike/8?id=8&x=7, 200",
    "GET /form/8?text=7, 200",
    "GET /alias/8, 200",
    "OPTIONS /long/7, 200"
  })
  void otherRequestsPass(String request, int status) throws IOException {
    assertThat(status(send(request, ""))).isEqualTo(status);
  }

  /** A data binder takes parameters before path variables, those of a form too. */
  @Test
  void aFormTellsNoOtherKey() throws IOException {
    String form = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 4\r\n\r\nid=";
    assertThat(status(send("POST /alike/8", form + "7"))).isEqualTo(403);
    assertThat(status(send("POST /alike/8", form + "8"))).isEqualTo(200);
  }

  @Test
  void thePathIsThatWithoutTheForwardedPrefix() throws IOException {
    assertThat(status(send("GET /long/07", "X-Forwarded-Prefix: /shop\r\n"))).isEqualTo(403);
  }

  @Test
  void filtersOfTheApplicationRefuseBefore() throws IOException {
    assertThat(status(send("GET /long/7?refused", ""))).isEqualTo(401);
    assertThat(status(send("GET /long/8?refused", ""))).isEqualTo(401);
  }

  @Test
  void aRefusalHasTheCorsHeadersOfTheHandler() throws IOException {
    String allowed = "Access-Control-Allow-Origin: http://shop.example";
    String origin = "Origin: http://shop.example\r\n";
    assertThat(send("GET /colour/GREEN", origin)).contains(" 200", allowed);
    assertThat(send("GET /colour/RED", origin)).contains(" 403", allowed, "This key is rejected");
    assertThat(send("GET /long/7", origin)).contains(" 403").doesNotContain("Allow-Origin");
    assertThat(send("GET /colour/RED", "Origin: http://other.example\r\n"))
        .contains(" 403", "Invalid CORS request")
        .doesNotContain("Allow-Origin");
    assertThat(send("OPTIONS /colour/RED", origin + "Access-Control-Request-Method: GET\r\n"))
        .contains(" 200", allowed);
  }

  @RestController
  static class Texts {

    @GetMapping("/keys/{id}")
    String text(@PathVariable String id) {
      return id;
    }

    @GetMapping("/spelled/{id}")
    String number(@PathVariable int id) {
      return "" + id;
    }

    @GetMapping("/units/{id}")
    String unit(@PathVariable TimeUnit[] id) {
      return "" + id.length;
    }

    @GetMapping("/large/{id}")
    String large(@PathVariable BigInteger id) {
      return "" + id;
    }

    @GetMapping("/twice/{id}")
    String twice(@PathVariable Map<String, String> all, @PathVariable long id) {
      return all.get("id") + id;
    }

    @GetMapping("/both/{id}")
    String both(@PathVariable("id") String text, @PathVariable("id") long number) {
      return text + number;
    }

    @GetMapping("/mixed/{id}")
    String one(@PathVariable long id) {
      return "" + id;
    }

    @GetMapping("/mixed/{name:[a-z]+}")
    String other(@PathVariable String name) {
      return name;
    }

    @GetMapping("/form/{id}")
    String form(Form form) {
      return form.id;
    }
  }

  record Form(String id) {}

  record NumberForm(Long id, String text) {}

  public static class TokenForm {
    private long id;

    public long getId() {
      return id;
    }

    public void setId(long id) {
      this.id = id;
    }
  }

  @RestController
  static class Bound {

    @GetMapping("/bean/{id}")
    String bean(@PathVariable String id, TokenForm bean) {
      return id + bean.id;
    }

    @GetMapping("/record/{id}")
    String record(@PathVariable String id, @ModelAttribute NumberForm form) {
      return id + form.id;
    }

    @GetMapping("/alike/{id}")
    String alike(@PathVariable Long id, NumberForm form, @RequestBody Form body) {
      return "" + id + form.id + body.id;
    }
  }

  @RestController
  static class Modelled {

    @ModelAttribute("token")
    Long token(@PathVariable("id") long key) {
      return key;
    }

    @GetMapping("/model/{id}")
    String model(@PathVariable String id, @ModelAttribute("token") Long token) {
      return id + token;
    }
  }

  @RestController
  static class Trimmed {

    @InitBinder
    void editors(WebDataBinder binder) {}

    @GetMapping("/trimmed/{id}")
    String text(@PathVariable String id) {
      return id;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/spelled/{id}, string, 'has type: string', Texts.number takes it as a int, Leave type out",
    "/keys/{id}, long, 'has type: long', Texts.text takes it as a java.lang.String, Leave type",
    "/large/{id}, , cannot tell, Texts.large takes it as a BigInteger, 'Set type to string, long'",
    "/units/{id}, , may hold several, Texts.unit takes it as a TimeUnit[], Let the handler take"
        + " one",
    "/units/{id}, string, may hold several, Texts.unit takes it, Let the handler take one",
    "/twice/{id}, , cannot tell, Texts.twice takes it as a java.lang.String, takes it as a long",
    "/both/{id}, , cannot tell, Texts.both takes it as a java.lang.String, takes it as a long",
    "/mixed/{id}, , cannot tell, Texts.one takes it as a long, Texts.other takes it as",
    "/bean/{id}, , cannot tell, Bound.bean takes it as a java.lang.String, takes it as a long",
    "/record/{id}, , cannot tell, Bound.record takes it as a java.lang.String, takes it as a"
        + " java.lang.Long",
    "/model/{id}, , cannot tell, Modelled.model takes it as a java.lang.String, takes it as a long",
    "/form/{id}, , cannot tell, Texts.form takes it by no @PathVariable, Set type",
    "/keys/*/{id}, , cannot tell, no annotated handler serves the pattern, Set type",
    "/trimmed/{id}, , cannot tell, Trimmed.text gets it through an @InitBinder, Set type"
  })
  void aBlacklistThatCouldBeSpelledAroundDoesNotStart(
      String pattern, String type, String first, String second, String third) {
    FailureAnalysis failure = Wiring.failure(ruled(pattern, type, true));
    assertThat(failure.getDescription() + " " + failure.getAction())
        .contains(pattern, first, second, third);
  }

  /** One with an editor that trims text, and one that needs a request. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aBlacklistWhoseHandlersHaveAnInitializerOfTheirOwnDoesNotStart(boolean trims) {
    ConfigurableWebBindingInitializer configured = new ConfigurableWebBindingInitializer();
    configured.setPropertyEditorRegistrar(
        editors -> editors.registerCustomEditor(String.class, new StringTrimmerEditor(true)));
    WebBindingInitializer initializer =
        trims ? configured : binder -> RequestContextHolder.currentRequestAttributes();
    FailureAnalysis failure =
        Wiring.failure(
            ruled("/keys/{id}", null, true)
                .withBean(Initialized.class, () -> new Initialized(initializer)));
    assertThat(failure.getDescription())
        .contains("/keys/{id}", "cannot tell", "gets it through a WebBindingInitializer");
  }

  /** As an application may set the initializer of Spring's own adapter. */
  record Initialized(WebBindingInitializer initializer) implements BeanPostProcessor {

    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
      if (bean instanceof RequestMappingHandlerAdapter adapter) {
        if (initializer instanceof ConfigurableWebBindingInitializer configured) {
          configured.setConversionService(
              ((ConfigurableWebBindingInitializer) adapter.getWebBindingInitializer())
                  .getConversionService());
        }
        adapter.setWebBindingInitializer(initializer);
      }
      return bean;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/keys/{id}, ",
    "/alike/{id}, ",
    "/keys/{id}, string",
    "/spelled/{id}, long",
    "/mixed/{id}, long",
    "/large/{id}, long",
    "/twice/{id}, long",
    "/routed/{id}, long"
  })
  void aBlacklistWithAKnownTypeStarts(String pattern, String type, CapturedOutput output) {
    ruled(pattern, type, true).run(context -> assertThat(context).hasNotFailed());
    // Lettuce warns as the objects of other tests are finalized.
    List<String> warnings =
        output
            .toString()
            .lines()
            .filter(line -> line.contains("WARN") && !line.contains("Finalizer"))
            .toList();
    // Its handler takes text, and the source yields numbers.
    assertThat(warnings)
        .hasSize(pattern.equals("/keys/{id}") ? 1 : 0)
        .allMatch(line -> line.contains("asks the blacklist 'keys' for text"));
  }

  /** As an application may replace ours: its declared type names no filter of ours. */
  @Configuration(proxyBeanMethods = false)
  static class Registered {

    @Bean("bloomGuardFilter")
    FilterRegistrationBean<Filter> rules(
        EntryGuards guards,
        @Qualifier("mvcPatternParser") PathPatternParser parser,
        @Qualifier("mvcConversionService") ConversionService conversion) {
      WebRule rule = new WebRule("/form/{id}", "keys", "id", null);
      return new FilterRegistrationBean<>(
          new BloomGuardFilter(List.of(rule), guards, parser, conversion));
    }
  }

  @Test
  void aFilterOfTheApplicationsOwnIsPreparedToo() {
    FailureAnalysis failure =
        Wiring.failure(ruled("/spelled/{id}", null, true).withUserConfiguration(Registered.class));
    assertThat(failure.getDescription()).contains("/form/{id}", "cannot tell");
  }

  @RestController
  static class CatchAll {

    @GetMapping("/**")
    String page() {
      return "page";
    }
  }

  @Test
  void aHandlerOfEverythingMakesNoOtherRuleDoubtful(CapturedOutput output) {
    ruled("/spelled/{id}", null, false)
        .withBean(CatchAll.class)
        .run(context -> assertThat(context).hasNotFailed());
    assertThat(output).doesNotContain("The web rule");
  }

  @ParameterizedTest
  @CsvSource({
    "/spelled/{id}, string, true",
    "/mixed/{id}, , true",
    "/form/{id}, , true",
    "/spelled/{id}, , false",
    "/routed/{id}, , false"
  })
  void anotherRuleWarnsOnce(String pattern, String type, boolean warns, CapturedOutput output) {
    ruled(pattern, type, false)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(context.getBean(BloomGuards.class).guard("keys").check(7))
                  .isEqualTo(Membership.POSSIBLY_PRESENT);
            });
    assertThat(output.getOut().split("The web rule for \"" + pattern.replace("{", "\\{"), -1))
        .hasSize(warns ? 2 : 1);
  }

  private static WebApplicationContextRunner ruled(String pattern, String type, boolean blacklist) {
    WebApplicationContextRunner application =
        Wiring.ruled(List.of(pattern), blacklist, 7L)
            .withBean(Texts.class)
            .withBean(Trimmed.class)
            .withBean(Bound.class)
            .withBean(Modelled.class);
    if (type != null) {
      application = application.withPropertyValues("bloomguard.web.rules[0].type=" + type);
    }
    return pattern.startsWith("/routed/")
        ? application.withBean(
            RouterFunction.class,
            () -> RouterFunctions.route(GET(pattern), request -> ServerResponse.ok().build()))
        : application;
  }

  private static String send(String request, String headers) throws IOException {
    int port = Objects.requireNonNull(context.getWebServer()).getPort();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      String lines = " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + headers + "\r\n";
      socket.getOutputStream().write((request + lines).getBytes(ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }

  private static int status(String answer) {
    return Integer.parseInt(answer.substring(9, 12));
  }
}
