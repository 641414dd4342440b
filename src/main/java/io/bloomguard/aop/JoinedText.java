package io.bloomguard.aop;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.StringLiteral;
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
 */
record JoinedText(@Nullable String clause, boolean meets) {

  private static final JoinedText APART = new JoinedText(null, false);

  private static final String REMEDY = "write the list of the parts instead: {#tenant, #id}";

  /** Methods of text that join it with their arguments. */
  private static final Set<String> JOINING = Set.of("concat", "formatted");

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
    if (node instanceof OpPlus) {
      List<SpelNode> parts = new ArrayList<>();
      flatten(node, parts);
      JoinedText own = judge(parts, types);
      return own == APART ? worst(parts.stream(), types) : own;
    }
    if (node instanceof MethodReference method && JOINING.contains(method.getName())) {
      return new JoinedText("may be one for several parts, as it joins text; " + REMEDY, false);
    }
    return worst(IntStream.range(0, node.getChildCount()).mapToObj(node::getChild), types);
  }

  private static JoinedText worst(
      Stream<SpelNode> nodes, Function<SpelNode, ResolvableType> types) {
    JoinedText worst = APART;
    for (JoinedText each : nodes.map(node -> in(node, types)).toList()) {
      worst = each.meets || worst == APART ? each : worst;
    }
    return worst;
  }

  private static void flatten(SpelNode node, List<SpelNode> parts) {
    for (int i = 0; i < node.getChildCount(); i++) {
      if (node.getChild(i) instanceof OpPlus inner) {
        flatten(inner, parts);
      } else {
        parts.add(node.getChild(i));
      }
    }
  }

  private static JoinedText judge(List<SpelNode> parts, Function<SpelNode, ResolvableType> types) {
    List<Form> forms = parts.stream().map(part -> form(part, types)).toList();
    boolean isText = parts.stream().anyMatch(StringLiteral.class::isInstance);
    if (!isText && forms.stream().allMatch(form -> form == Form.FIXED || form == Form.NUMBER)) {
      return APART; // a sum
    }
    long texts = forms.stream().filter(form -> form == Form.TEXT).count();
    long unknown = forms.stream().filter(form -> form == Form.UNKNOWN).count();
    if (texts > 1) {
      return new JoinedText(
          "joins several texts, so other texts would have the same key, and its value", true);
    }
    if (texts + unknown > 1) {
      return new JoinedText(
          "is one for several parts if two of these are free text; " + REMEDY, false);
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
        return new JoinedText("joins parts without a separator, so other parts have its key", true);
      }
      if (!first && between.chars().allMatch(c -> forms.stream().anyMatch(f -> mayHave(f, c)))) {
        worst =
            new JoinedText(
                "is one for several parts if one of them has the separator; " + REMEDY, false);
      }
      first = false;
      between.setLength(0);
    }
    return worst;
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
