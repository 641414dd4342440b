package io.bloomguard.aop.internal.compile;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalDate;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.standard.SpelExpressionParser;

class JoinedTextTest {

  private static final Map<String, Class<?>> TYPES =
      Map.of(
          "#text", String.class,
          "#other", CharSequence.class,
          "#number", long.class,
          "#count", Integer.class,
          "#uuid", UUID.class,
          "#kind", Thread.State.class,
          "#flag", boolean.class,
          "#pair", Map.Entry.class,
          "#day", LocalDate.class);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "apart | #text + ':' + #number",
        "apart | #number + ':' + #text",
        "apart | #number + ':' + #text + ':' + #uuid",
        "apart | (#kind + '/') + (#flag + '/' + #count)",
        "apart | #number + '_' + #count",
        "apart | 'u' + #text",
        "apart | #number + #count + 1",
        "apart | #text == null ? 'x' : #number + ':' + #text",
        "apart | #any + ':' + #number",
        "meet | #text + ':' + #other",
        "meet | #number + ':' + #text + ':' + #other",
        "meet | #number == 0 ? #text : #text + ':' + #other",
        "meet | #text + #number",
        "meet | 'n' + #number + #count",
        "meet | {#number, #text + ':' + #other}",
        "doubt | #text + '-' + #number",
        "doubt | #kind + '_' + #number",
        "doubt | #text + ':' + #any",
        "doubt | #text.strip() + ':' + #other.strip()",
        "meet | #text.concat(':').concat(#other)",
        "meet | #text.concat(':' + #other)",
        "meet | #text.concat(':').concat(#other).toLowerCase()",
        "meet | 'n' + #number.toString().concat('') + #text.concat(#other)",
        "meet | '%s:%s'.formatted(#text, #other)",
        "meet | '%2$s:%1$s'.formatted(#text, #other)",
        "meet | '%d%d'.formatted(#number, #count)",
        "meet | #number + '%d'.formatted(#count)",
        "meet | '%s'.formatted(#text + ':' + #other)",
        "meet | {#number, '%s:%s'.formatted(#text, #other)}",
        "apart | '%s:%d'.formatted(#text, #number)",
        "apart | 'n'.concat(#text)",
        "apart | #text.concat(':').concat(#uuid.toString())",
        "doubt | '%s:%5s'.formatted(#number, #text)",
        "doubt | '%s:%s'.formatted(#text)",
        "doubt | #text.formatted(#other)",
        "doubt | #any.concat(':').concat(#other)",
        "doubt | '%s-%d'.formatted(#text, #number)",
        "doubt | (#text ?: 'x').concat(':').concat(#other)",
        "doubt | (#flag ? #text : 'x').concat(':').concat(#other)",
        "doubt | #any[0].concat(':').concat(#text)",
        "doubt | #all.![a + ':' + b]",
        "doubt | #all.![concat(':')]",
        "apart | 'n' + #flag",
        "apart | #number.toString()",
        "apart | #any.toString()",
        "apart | #day.toString()",
        "doubt | #pair.toString()",
        "doubt | 'key ' + #pair",
        "doubt | {#text, #other}.toString()",
        "doubt | {'a': #text, 'b': #other}.toString()",
      })
  void textOfPartsMeetsUnlessItCanBeTakenApart(String expected, String expression) {
    JoinedText joined =
        JoinedText.in(
            new SpelExpressionParser().parseRaw(expression).getAST(),
            text -> {
              Class<?> type = TYPES.get(text);
              return type == null ? ResolvableType.NONE : ResolvableType.forClass(type);
            });
    assertThat(joined.meets() ? "meet" : joined.clause() == null ? "apart" : "doubt")
        .isEqualTo(expected);
  }
}
