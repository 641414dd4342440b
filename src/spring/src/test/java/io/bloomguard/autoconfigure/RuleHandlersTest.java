package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.request;
import static org.springframework.web.servlet.function.RequestPredicates.GET;

import jakarta.servlet.Filter;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.info.InfoEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.pattern.PathPatternParser;

/** Which of the handlers that a rule's pattern meets are under the rule. */
class RuleHandlersTest {

  @RestController
  static class Owners {

    @GetMapping("/owners/{id}")
    String one(@PathVariable String id) {
      return id;
    }

    @GetMapping({"/owners/new", "/owners/find/**"})
    String form() {
      return "a form";
    }

    @GetMapping("/owners/export.{format}")
    String all(@PathVariable String format) {
      return format;
    }

    @GetMapping(path = "/owners/wide", params = "columns")
    String wide() {
      return "wide";
    }

    @PostMapping("/owners/draft")
    String draft() {
      return "a draft";
    }
  }

  @RestController
  static class Everything {

    @GetMapping("/files/{*path}")
    String file(@PathVariable String path) {
      return path;
    }

    @GetMapping("/files/list/all")
    String files() {
      return "all";
    }

    @GetMapping("/**")
    String page() {
      return "page";
    }

    @GetMapping("/{kind}/{number}")
    String any(@PathVariable String kind, @PathVariable String number) {
      return kind + number;
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/owners/{id} | GET /owners/known 200, GET /owners/other 404, GET /owners/new 200,"
            + "HEAD /owners/new 200, GET /owners/%6eew 200, GET /owners/new;v=1 200,"
            + "GET /owners/find 404, GET /owners/export.csv 200, GET /owners/export 404,"
            + "GET /owners/wide?columns=1 200, GET /owners/wide 404, GET /owners/draft 404",
        "/owners/{id:[a-z]+} | GET /owners/new 200, GET /owners/other 404, GET /owners/8 200",
        "/files/{*path} | GET /files/list/all 200, GET /files/list/none 404,"
            + "GET /files/some/known 200, GET /files/some%2Fknown 200",
        "/{tenant}/{id} | GET /actuator/info 200, GET /actuator/others 404,"
            + "GET /owners/new 200, GET /owners/old 404, GET /some/new 404"
      })
  void aRequestOfAnotherHandlerIsNotJudged(String pattern, String requests) {
    requireAnswers(rules(List.of(pattern), false), requests);
  }

  @Test
  void aBlacklistJudgesTheRequestsOfEachHandler() {
    requireAnswers(
        rules(List.of("/owners/{id}"), true)
            .withPropertyValues("bloomguard.web.rules[0].type=string"),
        "GET /owners/new 403, GET /owners/other 200");
  }

  @RestController
  static class Tokens {

    @GetMapping({"/a/{id}", "/a/{id}/"})
    String slash(@PathVariable String id) {
      return id;
    }

    @GetMapping({"/b/{id}", "/{kind}/of/{id}", "/b"})
    String kinds(@PathVariable Optional<String> id) {
      return id.orElse("");
    }

    @GetMapping("/d/{id}")
    String number(@PathVariable long id) {
      return "" + id;
    }

    @GetMapping("/deep/f/{key}/**")
    String deep(@PathVariable String key) {
      return key;
    }

    @GetMapping("/e/{id:[^\\/]+}")
    String text(@PathVariable String id) {
      return id;
    }
  }

  @RestController
  @RequestMapping({"/c", "/v2/c"})
  static class Versions {

    @GetMapping("/{key}")
    String get(@PathVariable String key) {
      return key;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/a/{id}, also serves /a/{id}/, Tokens.slash",
    "/a/{id}/, also serves /a/{id}, Tokens.slash",
    "/b/{id}, also serves /{kind}/of/{id}, Tokens.kinds",
    "/c/{id}, also serves /v2/c/{key}, Versions.get",
    "/deep/f/{id}, also serves /deep/f/{id}/**, Tokens.deep",
    "/d/{id:\\d+}, its expression leaves out spellings, Tokens.number"
  })
  void aBlacklistThatLeavesOutAPathOfItsHandlerDoesNotStart(
      String pattern, String problem, String handler) {
    assertThat(Wiring.failure(rules(List.of(pattern), true)).getDescription())
        .contains(pattern, problem, handler);
  }

  @ParameterizedTest
  @CsvSource({
    "/a/{id}, /a/{id}/",
    "/b/{id}, /*/of/{id}",
    "/c/{id}, /{version}/c/{id}",
    "/d/{id}, /e/{id}",
    "/deep/f/{id}, /deep/f/{id}/**",
    "/deep/f/{id}/{*rest}, /e/{id}",
    "/e/{id:[^\\/]+}, /e/{id:[a-z]+}"
  })
  void aBlacklistWithARuleForEachPathStarts(String one, String other) {
    rules(List.of(one, other), true).run(context -> assertThat(context).hasNotFailed());
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnMapping {

    @Bean
    RequestMappingHandlerMapping own() {
      PathPatternParser parser = new PathPatternParser();
      parser.setCaseSensitive(false);
      RequestMappingHandlerMapping mapping = new RequestMappingHandlerMapping();
      mapping.setPatternParser(parser);
      return mapping;
    }
  }

  @Test
  void aMappingThatTakesOtherPathsThanTheRulesIsRefused() {
    assertThat(
            Wiring.failure(rules(List.of("/d/{id}"), true).withUserConfiguration(OwnMapping.class))
                .getDescription())
        .contains("RequestMappingHandlerMapping", "PathPatternParser");
  }

  @ParameterizedTest
  @CsvSource({"/app/e/{id}, true", "/e/{id}/, true", "/e/{id}, false", "/g/{id}, true"})
  @ExtendWith(OutputCaptureExtension.class)
  void aRuleThatNoHandlerServesIsWarnedOf(String pattern, boolean warned, CapturedOutput output) {
    rules(List.of(pattern), true)
        .withPropertyValues("bloomguard.web.rules[0].type=string")
        .run(context -> assertThat(context).hasNotFailed());
    assertThat(output.toString().contains("judges no request of an annotated handler"))
        .isEqualTo(warned);
  }

  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void aRuleForAFunctionalRouteIsNotWarnedOf(CapturedOutput output) {
    rules(List.of("/g/{id}"), true)
        .withPropertyValues("bloomguard.web.rules[0].type=string")
        .withBean(
            RouterFunction.class,
            () -> RouterFunctions.route(GET("/g/{id}"), request -> ServerResponse.ok().build()))
        .run(context -> assertThat(context).hasNotFailed());
    assertThat(output).doesNotContain("judges no request");
  }

  @Test
  void anotherRuleMayLeaveOutPaths() {
    requireAnswers(
        rules(List.of("/a/{id}", "/c/{id}"), false),
        "GET /a/other 404, GET /a/other/ 200, GET /c/other 404, GET /v2/c/other 200");
  }

  private static WebApplicationContextRunner rules(List<String> patterns, boolean blacklist) {
    WebApplicationContextRunner application =
        Wiring.ruled(patterns, blacklist, "known", "/some/known", blacklist ? "new" : "7")
            .withConfiguration(
                AutoConfigurations.of(
                    WebEndpointAutoConfiguration.class,
                    ManagementContextAutoConfiguration.class,
                    InfoEndpointAutoConfiguration.class))
            .withBean(Owners.class)
            .withBean(Tokens.class)
            .withBean(Versions.class)
            .withPropertyValues("management.endpoints.web.exposure.include=info");
    return blacklist ? application : application.withBean(Everything.class);
  }

  private static void requireAnswers(WebApplicationContextRunner application, String requests) {
    application.run(
        context -> {
          assertThat(context).hasNotFailed();
          Filter filter = context.getBean(FilterRegistrationBean.class).getFilter();
          MockMvc mvc =
              MockMvcBuilders.webAppContextSetup(context.getSourceApplicationContext())
                  .addFilters(filter)
                  .build();
          for (String line : requests.split(", *")) {
            String[] parts = line.split(" ");
            assertThat(
                    mvc.perform(request(HttpMethod.valueOf(parts[0]), URI.create(parts[1])))
                        .andReturn()
                        .getResponse()
                        .getStatus())
                .as(line)
                .isEqualTo(Integer.parseInt(parts[2]));
          }
        });
  }
}
