package io.bloomguard.aop.internal.compile;

import io.bloomguard.aop.internal.call.CompiledKey;
import io.bloomguard.aop.internal.call.KeyExtractor;
import io.bloomguard.aop.internal.call.MultiKeyCalls;
import io.bloomguard.aop.internal.call.Returned;
import io.bloomguard.aop.internal.method.AnnotatedMethod;
import io.bloomguard.aop.internal.method.KotlinFunction;
import io.bloomguard.aop.internal.method.PropertyPath;
import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.internal.KeyScope;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.ResolvableType;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
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

  private static final Logger LOG = LoggerFactory.getLogger(KeyCompiler.class);

  static final Pattern PATH = Pattern.compile("#\\w+(\\.\\w+)*");
  private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();
  private static final Pattern PROJECTION =
      Pattern.compile("(#\\w+(?:\\.\\w+)*)\\.!\\[\\s*\\w+\\s*]");

  /** The failures of an expression that are those of a call's arguments. */
  private static final Set<SpelMessage> OF_ARGUMENTS =
      Set.of(
          SpelMessage.ARRAY_INDEX_OUT_OF_BOUNDS,
          SpelMessage.COLLECTION_INDEX_OUT_OF_BOUNDS,
          SpelMessage.STRING_INDEX_OUT_OF_BOUNDS,
          SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE,
          SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL,
          SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED);

  private static final Set<Class<? extends SpelNode>> UNAVAILABLE =
      Set.of(TypeReference.class, ConstructorReference.class, BeanReference.class, Assign.class);

  private final AnnotatedMethod<?> method;
  private final String expression;
  private final boolean resultAllowed;
  private final boolean named;

  /** By every name that an expression may use. */
  private final Map<String, Variable> variables = new LinkedHashMap<>();

  /**
   * What a name stands for.
   *
   * @param parameter its index; {@link CompiledKey#RESULT} for the result
   */
  private record Variable(int parameter, KeyExtractor read, Supplier<ResolvableType> type) {}

  private KeyCompiler(AnnotatedMethod<?> method, String expression, boolean resultAllowed) {
    this.method = method;
    this.expression = expression.trim();
    this.resultAllowed = resultAllowed;
    Method declared = method.declared();
    @Nullable String @Nullable [] names = NAMES.getParameterNames(declared);
    this.named = names != null || declared.getParameterCount() == 0;
    if (resultAllowed) {
      variables.put(
          "result",
          new Variable(
              CompiledKey.RESULT, (arguments, result) -> unwrap(result), this::resultType));
    }
    Class<?>[] types = declared.getParameterTypes();
    for (int i = 0; i < types.length && !isContinuation(types[i]); i++) {
      int index = i;
      Variable parameter =
          new Variable(
              i, (arguments, result) -> arguments[index], () -> method.parameterType(index));
      String name = names == null ? null : names[i];
      if (name != null) {
        variables.put(name, parameter);
      }
      variables.put("p" + i, parameter);
      variables.put("a" + i, parameter);
    }
  }

  /** The name of a parameter; empty if it is not known. */
  static String parameter(AnnotatedMethod<?> method, int index) {
    @Nullable String @Nullable [] names = NAMES.getParameterNames(method.declared());
    String name = names == null || index >= names.length ? null : names[index];
    return name == null ? "" : name;
  }

  /** The parameters of a method that a key leaves out. */
  static List<String> leftOut(AnnotatedMethod<?> method, CompiledKey key) {
    Class<?>[] types = method.declared().getParameterTypes();
    return IntStream.range(0, types.length)
        .filter(i -> !key.parameters().contains(i) && !isContinuation(types[i]))
        .mapToObj(i -> parameter(method, i).isEmpty() ? "#p" + i : "#" + parameter(method, i))
        .toList();
  }

  private static boolean isContinuation(Class<?> type) {
    return type.getName().equals("kotlin.coroutines.Continuation");
  }

  /**
   * Compiles {@code expression} for {@code method}.
   *
   * @param resultAllowed whether {@code #result} may be used
   * @param scope the scope of the filter's keys; null for none
   * @throws StartRefusedException if it cannot be compiled or yields a value that cannot be a key
   */
  static CompiledKey compile(
      AnnotatedMethod<?> method,
      String expression,
      boolean resultAllowed,
      @Nullable KeyScope scope) {
    KeyCompiler compiler = new KeyCompiler(method, expression, resultAllowed);
    CompiledKey key = compiler.compile(compiler.expression);
    compiler.requireKeyType(key, false);
    String first = compiler.first();
    // It would be the first part of each key twice.
    compiler.refuseIf(
        scope != null
            && KeyScope.isColumn(scope.column(), first.substring(first.lastIndexOf('.') + 1)),
        "names the scope of the filter's keys, which the bean '{}' tells",
        "Leave it out",
        scope == null ? "" : scope.bean());
    return key;
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
      AnnotatedMethod<?> method,
      String expression,
      boolean resultAllowed,
      @Nullable KeyScope scope) {
    CompiledKey key = compile(method, expression, resultAllowed, scope);
    CompiledKey own =
        scope == null
            ? null
            : new KeyCompiler(method, expression, resultAllowed).scopeOfRows(scope);
    if (own == null) {
      return key;
    }
    return key.read(
        (arguments, result) ->
            scoped(key.extract(arguments, result), own.extract(arguments, result), key.plural()));
  }

  /**
   * The key of a row, or those of several, with the scope of each.
   *
   * @param scopes the scope of the row, or that of each; null for that of the call
   */
  private static @Nullable Object scoped(
      @Nullable Object keys, @Nullable Object scopes, boolean plural) {
    if (keys == null || scopes == null) {
      return keys;
    }
    if (!plural) {
      return KeyScope.Scoped.of(scopes, keys);
    }
    Iterator<?> each = MultiKeyCalls.keys(scopes).iterator();
    List<@Nullable Object> scoped = new ArrayList<>();
    MultiKeyCalls.keys(keys).forEach(key -> scoped.add(scoped(key, each.next(), false)));
    return scoped;
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
    return type == null
        ? null
        : KeyScope.property(
            scope.column(),
            PropertyPath.properties(type),
            name -> {
              PropertyPath path = PropertyPath.compile(row, List.of(name));
              return path != null && CanonicalKey.supports(path.type().resolve(Object.class));
            });
  }

  private CompiledKey compile(String expression) {
    CompiledKey key = PATH.matcher(expression).matches() ? path(expression) : spel(expression);
    Class<?> raw = key.type().resolve(Object.class);
    if (!raw.isRecord() || raw.getRecordComponents().length == 0) {
      return key;
    }
    List<String> parts =
        Arrays.stream(raw.getRecordComponents())
            .map(part -> expression + "." + part.getName())
            .toList();
    if (parts.size() == 1) {
      return path(parts.get(0));
    }
    return parts.stream().map(this::path).allMatch(KeyCompiler::isPart)
        ? spel("{" + String.join(", ", parts) + "}")
        : key;
  }

  private static boolean isPart(CompiledKey key) {
    return !key.plural() && CanonicalKey.supports(key.type().resolve(Object.class));
  }

  private CompiledKey path(String expression) {
    List<String> names = Arrays.asList(expression.substring(1).split("\\.", -1));
    Variable root = variable(names.get(0));
    ResolvableType type = root.type().get();
    List<String> properties = names.subList(1, names.size());
    requireSigned(root, properties);
    if (properties.isEmpty() && !PropertyPath.isBoxed(type.resolve(Object.class))) {
      return new CompiledKey(root.read(), type, true, Set.of(root.parameter()), expression);
    }
    PropertyPath path;
    try {
      path = PropertyPath.compile(type, properties);
    } catch (IllegalArgumentException e) {
      throw refuse("{}", "Name one of these, or a parameter itself", e.getMessage());
    }
    if (path == null) {
      return spel(expression);
    }
    KeyExtractor extractor =
        (arguments, result) -> path.read(root.read().extract(arguments, result));
    return new CompiledKey(extractor, path.type(), false, Set.of(root.parameter()), expression);
  }

  private CompiledKey spel(String expression) {
    SpelExpression parsed;
    try {
      parsed = new SpelExpressionParser().parseRaw(expression);
    } catch (ParseException | IllegalArgumentException | IllegalStateException e) {
      throw refuse(
          "cannot be parsed: {}",
          "Write a SpEL expression such as #id or #order.id",
          e.getMessage());
    }
    SpelNode ast = parsed.getAST();
    Map<String, Variable> used = used(ast);
    refuseIf(
        used.isEmpty(),
        "names no parameter, so every call would have the same key",
        "{}",
        available());
    return ast instanceof InlineList list
        ? ofParts(list, expression, used)
        : evaluated(ast, expression, used, "Let the key be a list: {}");
  }

  /** A key, or a part of one, that is evaluated at each call. */
  private CompiledKey evaluated(
      SpelNode ast, String expression, Map<String, Variable> used, String remedy) {
    JoinedText joined = JoinedText.in(ast, this::typeOf);
    refuseIf(joined.meets(), "{}", remedy, joined.clause(), joined.list());
    if (joined.clause() != null) {
      LOG.warn(
          "{}: the key \"{}\" {}. Let it be a list: {}",
          method.describe(),
          this.expression,
          joined.clause(),
          joined.list());
    }
    refuseIf(
        JoinedText.nodes(ast).anyMatch(this::isUnreadable),
        "reads a Kotlin value class within an expression, where it has no property",
        "Let the key be a path to it alone, such as #book.isbn, or a list of such paths");
    return new CompiledKey(extractor(ast, used), type(ast), false, parameters(used), expression);
  }

  private static Set<Integer> parameters(Map<String, Variable> used) {
    return used.values().stream().map(Variable::parameter).collect(Collectors.toSet());
  }

  /** Whether a node reads a property of a Kotlin value class, whose getter SpEL does not know. */
  private boolean isUnreadable(SpelNode node) {
    Variable start =
        node instanceof CompoundExpression ? variables.get(root(node.getChild(0))) : null;
    return start != null
        && PropertyPath.leavesSpel(
            start.type().get(),
            JoinedText.children(node)
                .skip(1)
                .takeWhile(PropertyOrFieldReference.class::isInstance)
                .map(SpelNode::toStringAST)
                .toList());
  }

  /** The name of a variable; null for another node. */
  private static @Nullable String root(SpelNode node) {
    return node instanceof VariableReference ? node.toStringAST().substring(1) : null;
  }

  private KeyExtractor extractor(SpelNode ast, Map<String, Variable> used) {
    SimpleEvaluationContext.Builder context =
        SimpleEvaluationContext.forReadOnlyDataBinding().withInstanceMethods();
    boolean composed = NullParts.possible(ast);
    return (arguments, result) -> {
      SimpleEvaluationContext call = context.build();
      used.forEach(
          (name, variable) -> call.setVariable(name, variable.read().extract(arguments, result)));
      ExpressionState state = new ExpressionState(call);
      try {
        return composed && NullParts.present(ast, state) ? null : ast.getValue(state);
      } catch (SpelEvaluationException e) {
        throw unreadable(e.getMessageCode());
      } catch (IndexOutOfBoundsException e) {
        throw unreadable(SpelMessage.STRING_INDEX_OUT_OF_BOUNDS);
      }
    };
  }

  /** The failure of a call without a key; its cause may name one. */
  private RuntimeException unreadable(SpelMessage code) {
    String message =
        "%s: the key \"%s\" cannot be read from the arguments of the call (%s)"
            .formatted(
                method.describe(),
                expression,
                code.name().toLowerCase(Locale.ROOT).replace('_', ' '));
    return OF_ARGUMENTS.contains(code)
        ? new InvalidKeyException(message)
        : new IllegalStateException(message);
  }

  /** A key of parts; null as soon as a part is null. */
  private CompiledKey ofParts(InlineList list, String expression, Map<String, Variable> used) {
    refuseIf(list.getChildCount() < 2, "is a list of one part", "Leave out the braces");
    List<CompiledKey> parts = JoinedText.children(list).map(this::part).toList();
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
    return new CompiledKey(extractor, CompiledKey.OF_PARTS, false, parameters(used), expression);
  }

  private CompiledKey part(SpelNode node) {
    String text = node.toStringAST();
    if (PATH.matcher(text).matches()) {
      CompiledKey part = path(text);
      Class<?> type = part.type().resolve(Object.class);
      if (part.plural() || type.isRecord()) {
        throw refuse(
            "has the part {} of several values",
            "Name each value as a part{}",
            text,
            part.plural() ? "" : ": " + KeyRemedy.parts(text, type));
      }
      requireKeyType(part, true);
      return part;
    }
    refuseIf(
        node instanceof InlineList,
        "has a list as a part",
        "Name each value as a part of one list");
    return evaluated(node, text, used(node), "Let each text be a part of the list");
  }

  /** The declared type of a path's value; {@link ResolvableType#NONE} for another expression. */
  private ResolvableType typeOf(String text) {
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

  private Map<String, Variable> used(SpelNode ast) {
    Map<String, Variable> used = new LinkedHashMap<>();
    JoinedText.nodes(ast)
        .forEach(
            node -> {
              String name = root(node);
              refuseIf(
                  "root".equals(name) || UNAVAILABLE.contains(node.getClass()),
                  "uses {}, but types, constructors, beans, #root and assignments are not available"
                      + " to keys",
                  "Compute the key from the parameters alone",
                  node.toStringAST());
              // Within a selection or projection #this is the element.
              if (name != null && !name.equals("this")) {
                used.put(name, variable(name));
                requireSigned(used.get(name), List.of());
              }
            });
    return used;
  }

  private void requireSigned(Variable root, List<String> path) {
    refuseIf(
        KotlinFunction.isUnsigned(method, root.parameter(), path),
        "names an unsigned number of Kotlin, in whose place the JVM has a signed one: a large one"
            + " would be another key",
        "Take a Long, or for a ULong a BigInteger");
  }

  private Variable variable(String name) {
    Variable variable = variables.get(name);
    if (variable != null) {
      return variable;
    }
    refuseIf(
        name.equals("result") && !resultAllowed,
        "names #result, but the key is needed before the method runs",
        "{}",
        available());
    throw refuse("names #{}, which is no parameter", "{}", name, available());
  }

  private String available() {
    Set<String> names = new TreeSet<>();
    variables.keySet().forEach(name -> names.add("#" + name));
    String text = names.isEmpty() ? "The method has no parameters" : "Available are " + names;
    return named
        ? text
        : "%s; the names of the parameters are not in the class file: compile it with -parameters"
            .formatted(text);
  }

  private ResolvableType resultType() {
    ResolvableType type = Returned.of(method).content();
    return type.resolve() == Optional.class ? type.getGeneric(0) : type;
  }

  private static @Nullable Object unwrap(@Nullable Object result) {
    return result instanceof Optional<?> optional ? optional.orElse(null) : result;
  }

  private void requireKeyType(CompiledKey key, boolean part) {
    Class<?> raw = key.element().resolve();
    if (raw != null && !CanonicalKey.supports(raw)) {
      throw refuse(
          "yields a {}, which cannot be a key",
          "{}",
          raw.getTypeName(),
          KeyRemedy.of(method, key, raw, part));
    }
  }

  private void refuseIf(
      boolean condition, String problem, String action, @Nullable Object... values) {
    if (condition) {
      throw refuse(problem, action, values);
    }
  }

  private StartRefusedException refuse(String problem, String action, @Nullable Object... values) {
    return method.refuse(
        "has the key expression \"{}\", which " + problem,
        action,
        Stream.concat(Stream.of(expression), Stream.of(values)).toArray());
  }
}
