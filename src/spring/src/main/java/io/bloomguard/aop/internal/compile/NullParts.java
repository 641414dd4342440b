package io.bloomguard.aop.internal.compile;

import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.util.ObjectUtils;

/**
 * The search for nulls among the parts of a composed key. {@code #tenant + ':' + #id} would write
 * one as the text "null", which is a key like any other; a key with a part that is null is null
 * instead.
 */
final class NullParts {

  private NullParts() {}

  /** Whether the expression composes at all. */
  static boolean possible(SpelNode node) {
    return JoinedText.nodes(node).anyMatch(JoinedText::joins);
  }

  /** Whether a part is null in this call; branches that are not taken do not count. */
  static boolean present(SpelNode node, ExpressionState call) {
    if (node instanceof Projection || node instanceof Selection) {
      return false; // their parts are those of each element
    }
    if (node instanceof Ternary) {
      boolean first = Boolean.TRUE.equals(node.getChild(0).getValue(call));
      return present(node.getChild(0), call) || present(node.getChild(first ? 1 : 2), call);
    }
    if (node instanceof Elvis) {
      boolean first = !ObjectUtils.isEmpty(node.getChild(0).getValue(call));
      return present(node.getChild(first ? 0 : 1), call);
    }
    // The parts of the parts first: a null in those may be an error in these.
    return JoinedText.children(node).anyMatch(child -> present(child, call))
        || JoinedText.joins(node) && JoinedText.children(node).anyMatch(part -> isNull(part, call));
  }

  private static boolean isNull(SpelNode part, ExpressionState call) {
    return !(part instanceof OpPlus) && part.getValue(call) == null;
  }
}
