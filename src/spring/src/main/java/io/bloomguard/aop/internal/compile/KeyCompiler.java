package io.bloomguard.aop.internal.compile;

import io.bloomguard.aop.GuardedMethodException;
import io.bloomguard.aop.internal.call.CompiledKey;
import io.bloomguard.aop.internal.call.KeyExtractor;
import io.bloomguard.aop.internal.call.ReturnShape;
import io.bloomguard.aop.internal.method.AnnotatedMethod;
import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.guard.internal.KeyScope;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.ResolvableType;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/**
 * The compiler of key expressions: a parameter or a property path becomes an argument index and
 * method handles; a list of these, or a record, the text of its parts; any other SpEL is parsed
 * once and evaluated, read-only and without types or beans.
 */
final class KeyCompiler {

  private static final Pattern PATH = Pattern.compile("#\\w+(\\.\\w+)*");
  private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();
  private static final Pattern PROJECTION =
      Pattern.compile("(#\\w+(?:\\.\\w+)*)\\.!\\[\\s*\\w+\\s*]");
  private static final int RESULT = -1;
  private static final String KOTLIN_CONTINUATION = "kotlin.coroutines.Continuation";

  private final AnnotatedMethod<?> method;
  private final String expression;
  private final boolean resultAllowed;
  private final boolean named;

  /** Indexes by every name that an expression may use; {@link #RESULT} for the result. */
  private final Map<String, Integer> variables = new LinkedHashMap<>();

  private KeyCompiler(AnnotatedMethod<?> method, String expression, boolean resultAllowed) {
    this.method = method;
    this.expression = expression.trim();
    this.resultAllowed = resultAllowed;
    Method declared = method.declared();
    @Nullable String @Nullable [] names = NAMES.getParameterNames(declared);
    this.named = names != null || declared.getParameterCount() == 0;
    if (resultAllowed) {
      variables.put("result", RESULT);
    }
    for (int i = 0; i < declared.getParameterCount(); i++) {
      // Kotlin's names lack the continuation of a suspend function.
      String name = names == null || i >= names.length ? null : names[i];
      if (name != null) {
        variables.put(name, i);
      }
      variables.put("p" + i, i);
      variables.put("a" + i, i);
    }
  }

  /** The name of a parameter; empty if it is not known. */
  static String parameter(AnnotatedMethod<?> method, int index) {
    @Nullable String @Nullable [] names = NAMES.getParameterNames(method.declared());
    String name = names == null || index >= names.length ? null : names[index];
    return name == null ? "" : name;
  }

  /** The parameters of {@code method} that {@code expression} does not name. */
  static List<String> leftOut(AnnotatedMethod<?> method, String expression) {
    KeyCompiler compiler = new KeyCompiler(method, expression, false);
    Class<?>[] types = method.declared().getParameterTypes();
    List<String> leftOut = new ArrayList<>();
    for (int i = 0; i < types.length; i++) {
      int parameter = i;
      List<String> names =
          compiler.variables.entrySet().stream()
              .filter(variable -> variable.getValue() == parameter)
              .map(Map.Entry::getKey)
              .toList();
      if (!types[i].getName().equals(KOTLIN_CONTINUATION)
          && names.stream().noneMatch(name -> expression.matches("(?s).*#" + name + "\\b.*"))) {
        leftOut.add("#" + names.get(0));
      }
    }
    return leftOut;
  }

  /**
   * Compiles {@code expression} for {@code method}.
   *
   * @param resultAllowed whether {@code #result} may be used
   * @param scope the scope of the filter's keys; null for none
   * @throws GuardedMethodException if it cannot be compiled or yields a value that cannot be a key
   */
  static CompiledKey compile(
      AnnotatedMethod<?> method,
      String expression,
      boolean resultAllowed,
      @Nullable KeyScope scope) {
    KeyCompiler compiler = new KeyCompiler(method, expression, resultAllowed);
    CompiledKey key = compiler.compile(compiler.expression);
    compiler.requireKeyType(key);
    if (scope != null) {
      compiler.requireWithout(scope);
    }
    return key;
  }

  /** Refuses the scope in an expression: it would be the first part of each key twice. */
  private void requireWithout(KeyScope scope) {
    String first = first();
    if (KeyScope.isColumn(scope.column(), first.substring(first.lastIndexOf('.') + 1))) {
      throw refuse(
          "names the scope of the filter's keys, which the bean '" + scope.bean() + "' tells",
          "Leave it out");
    }
  }

  /** The first path of a list, or the expression itself, without its sign. */
  private String first() {
    return expression.replaceFirst("^\\{\\s*", "").split("[,}\\s]", 2)[0].replaceFirst("^#", "");
  }

  /**
   * Compiles the key of rows that are written, each of which may have the scope of its key in a
   * property beside it: such a key is {@link KeyScope.Scoped}.
   */
  static CompiledKey compileOfRows(
      AnnotatedMethod<?> method, String expression, boolean resultAllowed, KeyScope scope) {
    CompiledKey key = compile(method, expression, resultAllowed, scope);
    CompiledKey own = new KeyCompiler(method, expression, resultAllowed).scopeOfRows(scope);
    if (own == null) {
      return key;
    }
    KeyExtractor extractor =
        (arguments, result) ->
            ScopedRows.keys(
                key.extract(arguments, result), own.extract(arguments, result), key.plural());
    return new CompiledKey(
        extractor, key.type(), key.parameter(), key.usesResult(), key.names(), key.doubt());
  }

  /** The scope of the rows whose properties the expression reads; null if they have none. */
  private @Nullable CompiledKey scopeOfRows(KeyScope scope) {
    Matcher projection = PROJECTION.matcher(expression);
    if (projection.matches()) {
      String rows = projection.group(1);
      String property = scopeOf(path(rows).element(), scope);
      return property == null ? null : spel(rows + ".![" + property + "]");
    }
    String owner = "#" + first();
    while (PATH.matcher(owner).matches() && owner.indexOf('.') > 0) {
      owner = owner.substring(0, owner.lastIndexOf('.'));
      String property = scopeOf(path(owner).type(), scope);
      if (property != null) {
        return path(owner + "." + property);
      }
    }
    return null;
  }

  private static @Nullable String scopeOf(ResolvableType row, KeyScope scope) {
    Class<?> type = row.resolve();
    return type == null ? null : KeyScope.property(scope.column(), PropertyPath.properties(type));
  }

  private CompiledKey compile(String expression) {
    CompiledKey key = PATH.matcher(expression).matches() ? path(expression) : spel(expression);
    Class<?> raw = key.type().resolve(Object.class);
    if (!raw.isRecord() || raw.getRecordComponents().length == 0) {
      return key;
    }
    return raw.getRecordComponents().length == 1
        ? path(expression + "." + raw.getRecordComponents()[0].getName())
        : spel(components(expression, raw));
  }

  /** The list of a record's components, as an expression. */
  private static String components(String expression, Class<?> type) {
    return Arrays.stream(type.getRecordComponents())
        .map(part -> expression + "." + part.getName())
        .collect(Collectors.joining(", ", "{", "}"));
  }

  private CompiledKey path(String expression) {
    List<String> names = Arrays.asList(expression.substring(1).split("\\.", -1));
    int index = index(names.get(0));
    boolean usesResult = index == RESULT;
    ResolvableType root = usesResult ? resultType() : method.parameterType(index);
    List<String> properties = names.subList(1, names.size());
    if (properties.isEmpty()) {
      return usesResult
          ? key(expression, (arguments, result) -> unwrap(result), root, -1, true)
          : key(expression, (arguments, result) -> arguments[index], root, index, false);
    }
    PropertyPath path;
    try {
      path = PropertyPath.compile(root, properties);
    } catch (IllegalArgumentException e) {
      throw refuse(e.getMessage() + "", "Name one of these, or a parameter itself");
    }
    if (path == null) {
      return spel(expression);
    }
    return usesResult
        ? key(expression, (arguments, result) -> path.read(unwrap(result)), path.type(), -1, true)
        : key(
            expression, (arguments, result) -> path.read(arguments[index]), path.type(), -1, false);
  }

  private static CompiledKey key(
      String expression,
      KeyExtractor extractor,
      ResolvableType type,
      int parameter,
      boolean usesResult) {
    return new CompiledKey(extractor, type, parameter, usesResult, expression, null);
  }

  private CompiledKey spel(String expression) {
    SpelExpression parsed;
    try {
      parsed = new SpelExpressionParser().parseRaw(expression);
    } catch (ParseException | IllegalArgumentException | IllegalStateException e) {
      throw refuse(
          "cannot be parsed: " + e.getMessage(),
          "Write a SpEL expression such as #id or #order.id");
    }
    Map<String, Integer> used = new LinkedHashMap<>();
    SpelNode ast = parsed.getAST();
    collect(ast, used);
    if (used.isEmpty()) {
      throw refuse("names no parameter, so every call would have the same key", available());
    }
    if (ast instanceof InlineList list) {
      return ofParts(list, expression, used.containsValue(RESULT));
    }
    JoinedText joined = JoinedText.in(ast, this::typeOf);
    if (joined.meets()) {
      throw refuse(joined.clause() + "", "Let the key be a list: " + joined.list());
    }
    return new CompiledKey(
        extractor(ast, used),
        type(ast),
        -1,
        used.containsValue(RESULT),
        expression,
        joined.doubt());
  }

  private static KeyExtractor extractor(SpelNode ast, Map<String, Integer> used) {
    SimpleEvaluationContext.Builder context =
        SimpleEvaluationContext.forReadOnlyDataBinding().withInstanceMethods();
    boolean composed = NullParts.possible(ast);
    return (arguments, result) -> {
      SimpleEvaluationContext call = context.build();
      used.forEach(
          (name, index) ->
              call.setVariable(name, index == RESULT ? unwrap(result) : arguments[index]));
      ExpressionState state = new ExpressionState(call);
      return composed && NullParts.present(ast, state) ? null : ast.getValue(state);
    };
  }

  /** A key of parts; null as soon as a part is null. */
  private CompiledKey ofParts(InlineList list, String expression, boolean usesResult) {
    if (list.getChildCount() < 2) {
      throw refuse("is a list of one part", "Leave out the braces");
    }
    List<CompiledKey> parts = new ArrayList<>();
    for (int i = 0; i < list.getChildCount(); i++) {
      parts.add(part(list.getChild(i)));
    }
    KeyExtractor extractor =
        (arguments, result) -> {
          List<Object> values = new ArrayList<>(parts.size());
          for (CompiledKey part : parts) {
            Object value = part.extract(arguments, result);
            if (value == null) {
              return null;
            }
            values.add(value);
          }
          return values;
        };
    return new CompiledKey(
        extractor,
        CompiledKey.OF_PARTS,
        -1,
        usesResult,
        expression,
        parts.stream().map(CompiledKey::doubt).filter(Objects::nonNull).findFirst().orElse(null));
  }

  private CompiledKey part(SpelNode node) {
    String text = node.toStringAST();
    if (PATH.matcher(text).matches()) {
      CompiledKey part = path(text);
      if (part.plural() || part.type().resolve(Object.class).isRecord()) {
        throw refuse("has the part " + text + " of several values", "Name each value as a part");
      }
      requireKeyType(part);
      return part;
    }
    if (node instanceof InlineList) {
      throw refuse("has a list as a part", "Name each value as a part of one list");
    }
    Map<String, Integer> used = new LinkedHashMap<>();
    collect(node, used);
    JoinedText joined = JoinedText.in(node, this::typeOf);
    if (joined.meets()) {
      throw refuse(joined.clause() + "", "Let each text be a part of the list");
    }
    return new CompiledKey(
        extractor(node, used), type(node), -1, used.containsValue(RESULT), text, joined.doubt());
  }

  /** The declared type of a path's value; {@link ResolvableType#NONE} for another node. */
  private ResolvableType typeOf(SpelNode node) {
    String text = node.toStringAST();
    return PATH.matcher(text).matches() ? path(text).type() : ResolvableType.NONE;
  }

  /** The node shows without a call whether it yields several keys, but not the type of a key. */
  private static ResolvableType type(SpelNode node) {
    if (node instanceof CompoundExpression) {
      return type(node.getChild(node.getChildCount() - 1));
    }
    boolean several =
        node instanceof Projection
            || (node instanceof Selection && node.toStringAST().startsWith("?"));
    return several ? ResolvableType.forClass(Collection.class) : ResolvableType.NONE;
  }

  private void collect(SpelNode node, Map<String, Integer> used) {
    if (node instanceof TypeReference
        || node instanceof ConstructorReference
        || node instanceof BeanReference
        || node instanceof Assign) {
      throw refuse(
          "uses "
              + node.toStringAST()
              + ", but types, constructors, beans and assignments are not available to keys",
          "Compute the key from the parameters alone");
    }
    if (node instanceof VariableReference) {
      String name = node.toStringAST().substring(1);
      if (name.equals("root")) {
        throw refuse("uses #root, which is not available to keys", available());
      }
      // Within a selection or projection #this is the element.
      if (!name.equals("this")) {
        used.put(name, index(name));
      }
    }
    for (int i = 0; i < node.getChildCount(); i++) {
      collect(node.getChild(i), used);
    }
  }

  private int index(String name) {
    Integer index = variables.get(name);
    if (index != null) {
      return index;
    }
    if (name.equals("result") && !resultAllowed) {
      throw refuse("names #result, but the key is needed before the method runs", available());
    }
    throw refuse("names #" + name + ", which is no parameter", available());
  }

  private String available() {
    Set<String> names = new TreeSet<>();
    variables.keySet().forEach(name -> names.add("#" + name));
    String text = names.isEmpty() ? "The method has no parameters" : "Available are " + names;
    return named
        ? text
        : text
            + "; the names of the parameters are not in the class file: compile it with"
            + " -parameters";
  }

  private ResolvableType resultType() {
    ResolvableType type = ReturnShape.content(method);
    return type.resolve() == Optional.class ? type.getGeneric(0) : type;
  }

  private static @Nullable Object unwrap(@Nullable Object result) {
    return result instanceof Optional<?> optional ? optional.orElse(null) : result;
  }

  private void requireKeyType(CompiledKey key) {
    Class<?> raw = key.element().resolve();
    if (raw != null && !CanonicalKey.supports(raw)) {
      throw refuse(
          "yields a " + raw.getTypeName() + ", which cannot be a key",
          raw == Optional.class
              ? "Name the value within: " + key.names() + ".orElse(null)"
              : "A key is text, an integral number, a UUID or an enum constant"
                  + (Collection.class.isAssignableFrom(raw)
                      ? ", or one collection of these"
                      : ", or a list of such parts: " + composition(key, raw)));
    }
  }

  /** A proposal for a key of parts, from the type's own properties if they may be parts. */
  private static String composition(CompiledKey key, Class<?> type) {
    List<String> parts =
        key.plural()
                || !PATH.matcher(key.names()).matches()
                || type.getName().startsWith("java.") // no value of it is one of its properties
            ? List.of()
            : PropertyPath.properties(type).stream().map(part -> key.names() + "." + part).toList();
    return parts.size() < 2 ? "{#key.tenant, #key.number}" : "{" + String.join(", ", parts) + "}";
  }

  private GuardedMethodException refuse(String problem, String action) {
    return method.refuse("has the key expression \"" + expression + "\", which " + problem, action);
  }
}
