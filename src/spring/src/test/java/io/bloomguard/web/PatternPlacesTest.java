package io.bloomguard.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.web.util.pattern.PathPatternParser;

class PatternPlacesTest {

  /** "none" where the patterns have no path in common, "?" where no variable stands there. */
  @ParameterizedTest
  @CsvSource({
    "/a/{id}, /a/{id}, id",
    "/a/{id}, /a/{other}, other",
    "/a/{id}, /a/{other:.+}, other",
    "/a/{id:\\d+}, /a/{other}, other",
    "'/a/{id:.{1,3}}', /a/{id}, id",
    "/a/{id}, /A/{id}, none",
    "/a/{id}, /b/{id}, none",
    "/a/{id}, /a/{id}/b, none",
    "/a/{id}/b, /a/{id}, none",
    "/a/{id}, /a/search, none",
    "/a/{id:\\d+}, /a/search, none",
    "/a/{id}, /{kind}/{key}, key",
    "/{kind}/{id}, /a/{key}, key",
    "/a/{id}, /?/{key}, key",
    "/a/{id}, /ab?/{key}, none",
    "/a/{id}/{part}, /a/{x}/b, x",
    "/a/{id}, /a/*, ?",
    "/a/{id}, /a/{x}.{y}, ?",
    "/a/{id}, /a/x{y}, ?",
    "/a/{id}.json, /a/{id}.json, id",
    "/a/{id}.json, /a/{x}, ?",
    "/a/{id}, /a/**, ?",
    "/a/{id}, /**, ?",
    "/a/{id}/c, /a/{x}/**, x",
    "/a/{*id}, /a/{*id}, id",
    "/a/{*id}, /a/{x}, ?",
    "/a/{*id}, /b/{*id}, none",
    "/a/{*id}, /a/b/c, none",
    "'/a/{id:[^\\/]+}', /a/{x}, x",
    "/a/{id}/b, '/a/{x:[^\\/]+}/b', x",
    "/a/{id}, '/a/{x:b\\}c}', x",
    "/a/{id}, '/a/{x:\\{.+}', x"
  })
  void variableOfAHandlerInThePlaceOfTheKey(String rule, String handler, String expected) {
    String found = new PatternPlaces(rule, "id", new PathPatternParser()).variableOf(handler);
    assertThat(found == null ? "none" : found.isEmpty() ? "?" : found).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "/a/{id}, /a/{x}, true",
    "/a/{id}, '/a/{x:[^\\/]+}', true",
    "/a/{id}, /a/{x}/, false",
    "/a/{id}/, /a/{x}, false",
    "/a/{id}, /{kind}/{x}, false",
    "/{kind}/{id}, /a/{x}, true",
    "/*/{id}, /a/{x}, true",
    "/a*/{id}, /a/{x}, false",
    "/a/{id:\\d+}, /a/{x}, false",
    "/a/{id:\\d+}, /a/{x:\\d+}, true",
    "/a/{id}, /a/**, false",
    "/a/{id}/**, /a/{x}/b, true",
    "/a/{*id}, /a/{x}/b, true"
  })
  void coversEachPathOfAHandler(String rule, String handler, boolean expected) {
    assertThat(new PatternPlaces(rule, "id", new PathPatternParser()).covers(handler))
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "/a/b, ''",
    "/{a}/{*b}, a b",
    "'/x/{c:[^\\/]+}.{d:a\\}b}', c d",
    "'/{e:.{1,3}}/{f:\\{.+}', e f"
  })
  void namesOfVariables(String pattern, String expected) {
    assertThat(String.join(" ", PatternPlaces.variables(pattern))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"/a/{id}, /A/{x}", "/A/{id}, /a/{x}"})
  void plainTextIsComparedAsTheParserDoes(String rule, String handler) {
    PathPatternParser parser = new PathPatternParser();
    parser.setCaseSensitive(false);
    assertThat(new PatternPlaces(rule, "id", parser).variableOf(handler)).isEqualTo("x");
  }
}
