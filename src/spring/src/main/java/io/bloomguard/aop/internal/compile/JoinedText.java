package io.bloomguard.aop.internal.compile;

import io.bloomguard.filter.internal.CanonicalKey;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ClassUtils;

/**
 * The finding about text that an expression joins of parts: {@code #tenant + ':' + #name} is one
 * key for "a:b" and "c" and for "a" and "b:c".
 *
 * <p>Parts stay apart if at most one of them is free text, and each text between two of them has a
 * character that none of the others can have: a number has digits and a sign, a UUID hexadecimal
 * digits and dashes, an enum constant the letters of a name.
 *
 * @param clause the way in which keys meet, or might, as the rest of a sentence; null if none can
 * @param meets whether different parts are certain to have one key
 * @param list the list that keeps the parts apart, as an expression
 */
record JoinedText(@Nullable String clause, boolean meets, String list) {

  private static final JoinedText APART = new JoinedText(null, false, "");

  /** Two lists that have one text if they are joined by a colon. */
  private static final String EXAMPLE = "\"a:b\" and \"c\" are then one key with \"a\" and \"b:c\"";

  private static final JoinedText PRINTED =
      new JoinedText(
          "takes the text of an object, in which its values may meet", false, "{#tenant, #id}");

  private static final JoinedText UNKNOWN =
      new JoinedText("joins what may be several texts", false, "{#tenant, #id}");

  /** The conversions of a format that write their argument as it is. */
  private static final Pattern CONVERSION = Pattern.compile("%(?:(\\d+)\\$)?[sd]");

  /** The forms of a part. */
  private enum Form {
    FIXED,
    NUMBER,
    UUID,
    NAME,
    TEXT,
    UNKNOWN
  }

  /** Judges every joined text in the expression. */
  static JoinedText in(SpelNode node, Function<SpelNode, ResolvableType> types) {
    int joined = lastJoined(node);
    if (joined > 0 && joined < node.getChildCount() - 1) {
      return worst(
          IntStream.range(joined, node.getChildCount())
              .mapToObj(i -> i == joined ? start(node, joined + 1) : node.getChild(i)),
          types);
    }
    if (node instanceof OpPlus || joined > 0) {
      List<SpelNode> parts = new ArrayList<>();
      flatten(node, parts);
      JoinedText own = parts.contains(node) ? UNKNOWN : judge(parts, types);
      return own == APART ? worst(parts.stream(), types) : own;
    }
    if (joins(node)) {
      return UNKNOWN; // of an element
    }
    if (isPrinted(node) && isOfValues(node.getChild(node.getChildCount() - 2), types)) {
      return PRINTED;
    }
    return worst(IntStream.range(0, node.getChildCount()).mapToObj(node::getChild), types);
  }

  /** The clause with the remedy, for a warning; null if no keys can meet. */
  @Nullable String doubt() {
    return clause == null ? null : clause + ". Let it be a list: " + list;
  }

  private static JoinedText worst(
      Stream<SpelNode> nodes, Function<SpelNode, ResolvableType> types) {
    JoinedText worst = APART;
    for (JoinedText each : nodes.map(node -> in(node, types)).toList()) {
      worst = each.meets || worst == APART ? each : worst;
    }
    return worst;
  }

  /** Whether the node calls {@code toString()} last. */
  private static boolean isPrinted(SpelNode node) {
    return node instanceof CompoundExpression
        && node.getChild(node.getChildCount() - 1) instanceof MethodReference last
        && last.getName().equals("toString");
  }

  /** Whether a node joins its children to text: a sum, or the call of a method of text. */
  static boolean joins(SpelNode node) {
    return node instanceof OpPlus
        || node instanceof MethodReference method
            && Set.of("concat", "formatted").contains(method.getName());
  }

  /** The last method in a chain that joins; -1 for none. */
  private static int lastJoined(SpelNode node) {
    return node instanceof CompoundExpression
        ? IntStream.range(0, node.getChildCount())
            .filter(i -> joins(node.getChild(i)))
            .reduce(-1, (first, second) -> second)
        : -1;
  }

  /** The first {@code count} links of a chain. */
  private static SpelNode start(SpelNode chain, int count) {
    if (count == 1) {
      return chain.getChild(0);
    }
    String text =
        IntStream.range(0, count)
            .mapToObj(
                i ->
                    (i == 0 ? "" : chain.getChild(i) instanceof Indexer ? "" : ".")
                        + chain.getChild(i).toStringAST())
            .collect(Collectors.joining());
    return new SpelExpressionParser().parseRaw(text).getAST();
  }

  /** Adds the parts of joined text; the node itself where it joins none, or what is not known. */
  private static void flatten(SpelNode node, List<SpelNode> parts) {
    int last = lastJoined(node);
    if (node instanceof OpPlus) {
      IntStream.range(0, node.getChildCount()).forEach(i -> flatten(node.getChild(i), parts));
    } else if (isPrinted(node)) {
      flatten(start(node, node.getChildCount() - 1), parts);
    } else if (last < 1 || last < node.getChildCount() - 1) {
      parts.add(node);
    } else {
      SpelNode text = start(node, last);
      SpelNode method = node.getChild(last);
      if (((MethodReference) method).getName().equals("concat")) {
        flatten(text, parts);
        flatten(method.getChild(0), parts);
      } else if (!(text instanceof StringLiteral format) || !format(format, method, parts)) {
        parts.add(node);
      }
    }
  }

  /** Whether the parts of a format are known, and added. */
  private static boolean format(StringLiteral format, SpelNode method, List<SpelNode> parts) {
    String text = String.valueOf(format.getLiteralValue().getValue());
    Matcher conversion = CONVERSION.matcher(text);
    if (conversion.replaceAll("").contains("%")) {
      return false;
    }
    int end = 0;
    int next = 0;
    for (conversion.reset(); conversion.find(); end = conversion.end()) {
      int index = conversion.group(1) == null ? next++ : Integer.parseInt(conversion.group(1)) - 1;
      if (index < 0 || index >= method.getChildCount()) {
        return false;
      }
      parts.add(literal(text.substring(end, conversion.start())));
      flatten(method.getChild(index), parts);
    }
    parts.add(literal(text.substring(end)));
    return true;
  }

  private static SpelNode literal(String text) {
    return new StringLiteral(text, 0, 0, "'" + text.replace("'", "''") + "'");
  }

  private static JoinedText judge(List<SpelNode> parts, Function<SpelNode, ResolvableType> types) {
    List<Form> forms = parts.stream().map(part -> form(part, types)).toList();
    String list =
        parts.stream()
            .filter(part -> !(part instanceof Literal))
            .map(SpelNode::toStringAST)
            .collect(Collectors.joining(", ", "{", "}"));
    boolean isText = parts.stream().anyMatch(StringLiteral.class::isInstance);
    if (!isText && forms.stream().allMatch(form -> form == Form.FIXED || form == Form.NUMBER)) {
      return APART; // a sum
    }
    if (parts.stream().anyMatch(part -> isOfValues(part, types))) {
      return PRINTED;
    }
    long texts = forms.stream().filter(form -> form == Form.TEXT).count();
    long unknown = forms.stream().filter(form -> form == Form.UNKNOWN).count();
    if (texts > 1) {
      return new JoinedText(
          "joins several texts: " + EXAMPLE + ", and share its value", true, list);
    }
    if (texts + unknown > 1) {
      return new JoinedText("joins what may be several texts: " + EXAMPLE, false, list);
    }
    JoinedText worst = APART;
    StringBuilder between = new StringBuilder();
    boolean first = true;
    for (int i = 0; i < parts.size(); i++) {
      if (forms.get(i) == Form.FIXED) {
        between.append(((Literal) parts.get(i)).getLiteralValue().getValue());
        continue;
      }
      if (!first && between.isEmpty()) {
        return new JoinedText(
            "joins parts without a separator: 1 and 23 are then one key with 12 and 3", true, list);
      }
      if (!first && between.chars().allMatch(c -> forms.stream().anyMatch(f -> mayHave(f, c)))) {
        worst = new JoinedText("joins parts by a separator that one of them may have", false, list);
      }
      first = false;
      between.setLength(0);
    }
    return worst;
  }

  /** Whether a part is known to be an object of several values, such as a record or a list. */
  private static boolean isOfValues(SpelNode part, Function<SpelNode, ResolvableType> types) {
    Class<?> type = types.apply(part).resolve();
    return part instanceof InlineList
        || part instanceof InlineMap
        || type != null
            && form(part, types) == Form.UNKNOWN
            && !CanonicalKey.supports(type)
            && !type.getName().startsWith("java.time."); // one text for each value
  }

  private static Form form(SpelNode part, Function<SpelNode, ResolvableType> types) {
    if (part instanceof Literal) {
      return Form.FIXED;
    }
    Class<?> type = types.apply(part).resolve();
    if (type == null) {
      return Form.UNKNOWN;
    }
    if (CharSequence.class.isAssignableFrom(type)) {
      return Form.TEXT;
    }
    if (type == UUID.class) {
      return Form.UUID;
    }
    if (type.isEnum() || ClassUtils.resolvePrimitiveIfNecessary(type) == Boolean.class) {
      return Form.NAME;
    }
    Class<?> boxed = ClassUtils.resolvePrimitiveIfNecessary(type);
    return Set.of(Byte.class, Short.class, Integer.class, Long.class, BigInteger.class)
            .contains(boxed)
        ? Form.NUMBER
        : Form.UNKNOWN;
  }

  private static boolean mayHave(Form form, int c) {
    return switch (form) {
      case FIXED, TEXT, UNKNOWN -> false;
      case NUMBER -> c >= '0' && c <= '9' || c == '-';
      case UUID -> c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c == '-';
      case NAME -> Character.isJavaIdentifierPart(c);
    };
  }
}
