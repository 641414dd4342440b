package io.bloomguard.aop.internal.compile;

import io.bloomguard.filter.internal.CanonicalKey;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IllegalFormatException;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
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
  private static final Pattern CONVERSION = Pattern.compile("%(\\d+\\$)?[sd]");

  private static final Set<Class<?>> INTEGERS =
      Set.of(Byte.class, Short.class, Integer.class, Long.class, BigInteger.class);

  /** The character that stands for the first part of a text; the next ones for the others. */
  private static final char FIRST = '\uE000';

  /** Stands for what may be any number of parts. */
  private static final String ANY = "\uFFFF";

  /** What a part may be: each form with its characters, where these are few. */
  private enum Form {
    NUMBER("[0-9-]"),
    UUID("[0-9a-f-]"),
    NAME("[\\p{L}\\p{N}_$]"),
    TEXT(""),
    VALUES(""),
    UNKNOWN("");

    final String characters;

    Form(String characters) {
      this.characters = characters;
    }

    boolean mayHave(int c) {
      return Character.toString(c).matches(characters);
    }

    /** The form of a value of a declared type; null if only a call shows that. */
    static Form of(@Nullable Class<?> type) {
      if (type == null) {
        return UNKNOWN;
      }
      Class<?> boxed = ClassUtils.resolvePrimitiveIfNecessary(type);
      if (CharSequence.class.isAssignableFrom(type)) {
        return TEXT;
      }
      if (type.isEnum() || boxed == Boolean.class) {
        return NAME;
      }
      if (type == java.util.UUID.class) {
        return UUID;
      }
      boolean single = CanonicalKey.supports(type) || type.getName().startsWith("java.time.");
      return INTEGERS.contains(boxed) ? NUMBER : single ? UNKNOWN : VALUES;
    }
  }

  /** Finds the worst that an expression joins. */
  private record Search(Function<String, ResolvableType> types) {

    JoinedText in(List<SpelNode> chain) {
      int joined = chain.size() - 1;
      while (joined >= 0 && !joins(chain.get(joined))) {
        joined--;
      }
      if (joined < 0) {
        return isPrinted(chain) && form(chain.subList(0, chain.size() - 1)) == Form.VALUES
            ? PRINTED
            : worst(chain.stream());
      }
      if (joined < chain.size() - 1) {
        JoinedText own = in(chain.subList(0, joined + 1));
        return own.meets ? own : worse(own, worst(chain.stream().skip(joined + 1L)));
      }
      List<List<SpelNode>> parts = new ArrayList<>();
      JoinedText own = isSum(chain) ? APART : judge(text(chain, parts), parts);
      return own == APART ? worst(parts.stream().flatMap(List::stream)) : own;
    }

    private boolean isSum(List<SpelNode> chain) {
      SpelNode last = chain.get(chain.size() - 1);
      return last instanceof OpPlus
          ? children(last).allMatch(each -> isSum(chain(each)))
          : last instanceof Literal ? !(last instanceof StringLiteral) : form(chain) == Form.NUMBER;
    }

    /** The worst among the children of some nodes. */
    private JoinedText worst(Stream<SpelNode> nodes) {
      return nodes
          .flatMap(JoinedText::children)
          .map(child -> in(chain(child)))
          .reduce(APART, Search::worse);
    }

    private static JoinedText worse(JoinedText one, JoinedText other) {
      return other.meets || one == APART ? other : one;
    }

    /** A text, in which a character stands for each part of it. */
    private static String text(List<SpelNode> chain, List<List<SpelNode>> parts) {
      SpelNode last = chain.get(chain.size() - 1);
      List<SpelNode> before = chain.subList(0, chain.size() - 1);
      if (isPrinted(chain)) {
        return text(before, parts);
      }
      if (last instanceof Literal literal) {
        return String.valueOf(literal.getLiteralValue().getValue());
      }
      if (!joins(last)) {
        parts.add(chain);
        return Character.toString(FIRST + parts.size() - 1);
      }
      if (before.isEmpty() && !(last instanceof OpPlus)) {
        return ANY; // of an element
      }
      String start = before.isEmpty() ? "" : text(before, parts);
      Object[] joined = children(last).map(each -> text(chain(each), parts)).toArray();
      if (!isNamed(last, "formatted")) {
        return start + Stream.of(joined).map(String::valueOf).collect(Collectors.joining());
      }
      String format = CONVERSION.matcher(start).replaceAll("%$1s");
      boolean known =
          before.size() == 1
              && before.get(0) instanceof StringLiteral
              && !CONVERSION.matcher(start).replaceAll("").contains("%");
      try {
        return known ? format.formatted(joined) : ANY;
      } catch (IllegalFormatException e) {
        return ANY;
      }
    }

    private JoinedText judge(String text, List<List<SpelNode>> parts) {
      List<Form> forms = parts.stream().map(this::form).toList();
      String[] fixed = text.split("[\uE000-\uF8FF]", -1);
      String list =
          parts.stream().map(JoinedText::name).collect(Collectors.joining(", ", "{", "}"));
      if (text.contains(ANY)) {
        return UNKNOWN;
      }
      if (forms.contains(Form.VALUES)) {
        return PRINTED;
      }
      int texts = Collections.frequency(forms, Form.TEXT);
      if (texts > 1) {
        return new JoinedText(
            "joins several texts: " + EXAMPLE + ", and share its value", true, list);
      }
      if (texts + Collections.frequency(forms, Form.UNKNOWN) > 1) {
        return new JoinedText("joins what may be several texts: " + EXAMPLE, false, list);
      }
      List<String> between = List.of(fixed).subList(1, Math.max(1, fixed.length - 1));
      if (between.contains("")) {
        return new JoinedText(
            "joins parts without a separator: 1 and 23 are then one key with 12 and 3", true, list);
      }
      return between.stream()
              .allMatch(s -> s.chars().anyMatch(c -> forms.stream().noneMatch(f -> f.mayHave(c))))
          ? APART
          : new JoinedText("joins parts by a separator that one of them may have", false, list);
    }

    private Form form(List<SpelNode> part) {
      SpelNode first = part.get(0);
      return part.size() == 1 && (first instanceof InlineList || first instanceof InlineMap)
          ? Form.VALUES
          : Form.of(types.apply(name(part)).resolve());
    }
  }

  /**
   * Judges every joined text in an expression.
   *
   * @param types the declared type of what a part of the expression yields
   */
  static JoinedText in(SpelNode node, Function<String, ResolvableType> types) {
    return new Search(types).in(chain(node));
  }

  /** Whether a node joins its children to text: a sum, or the call of a method of text. */
  static boolean joins(SpelNode node) {
    return node instanceof OpPlus || isNamed(node, "concat") || isNamed(node, "formatted");
  }

  private static boolean isNamed(SpelNode node, String method) {
    return node instanceof MethodReference call && call.getName().equals(method);
  }

  private static boolean isPrinted(List<SpelNode> chain) {
    return chain.size() > 1 && isNamed(chain.get(chain.size() - 1), "toString");
  }

  private static List<SpelNode> chain(SpelNode node) {
    return node instanceof CompoundExpression ? children(node).toList() : List.of(node);
  }

  /** A node, and those within it. */
  static Stream<SpelNode> nodes(SpelNode node) {
    return Stream.concat(Stream.of(node), children(node).flatMap(JoinedText::nodes));
  }

  static Stream<SpelNode> children(SpelNode node) {
    return IntStream.range(0, node.getChildCount()).mapToObj(node::getChild);
  }

  /** A chain as it is written. */
  private static String name(List<SpelNode> chain) {
    return chain.stream()
        .map(link -> (link instanceof Indexer ? "" : ".") + link.toStringAST())
        .collect(Collectors.joining())
        .substring(1);
  }
}
