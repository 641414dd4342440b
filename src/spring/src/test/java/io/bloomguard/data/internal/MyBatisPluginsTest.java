package io.bloomguard.data.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.yulichang.interceptor.MPJInterceptor;
import java.util.List;
import org.apache.ibatis.executor.Executor;
import org.apache.ibatis.executor.statement.StatementHandler;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.plugin.Interceptor;
import org.apache.ibatis.plugin.Intercepts;
import org.apache.ibatis.plugin.Invocation;
import org.apache.ibatis.plugin.Signature;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.ResultHandler;
import org.apache.ibatis.session.RowBounds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Plugins that are not those of MyBatis-Plus, which src/it/mybatis-plus has. */
@ExtendWith(OutputCaptureExtension.class)
class MyBatisPluginsTest {

  @Intercepts(
      @Signature(
          type = Executor.class,
          method = "query",
          args = {MappedStatement.class, Object.class, RowBounds.class, ResultHandler.class}))
  static class Rewriting extends Plugin {}

  @Intercepts(
      @Signature(
          type = StatementHandler.class,
          method = "prepare",
          args = {java.sql.Connection.class, Integer.class}))
  static class Preparing extends Plugin {}

  @Intercepts(
      @Signature(
          type = StatementHandler.class,
          method = "query",
          args = {java.sql.Statement.class, ResultHandler.class}))
  static class Measuring extends Plugin {}

  @Intercepts(
      @Signature(
          type = Executor.class,
          method = "update",
          args = {MappedStatement.class, Object.class}))
  static class Auditing extends Plugin {}

  @Test
  void anUnknownPluginThatMayChooseRowsIsNamedOnce(CapturedOutput output) {
    MyBatisPlugins plugins = with(new Rewriting(), new Preparing());
    assertThat(plugins.tenant(String.class)).isNull();
    assertThat(plugins.tenant(Long.class)).isNull();
    assertThat(warnings(output))
        .hasSize(2)
        .anySatisfy(line -> assertThat(line).contains("$Rewriting").contains("caching = NONE"))
        .anySatisfy(line -> assertThat(line).contains("$Preparing"));
  }

  @Test
  void aPluginThatSeesNoQueryBeforeItIsPreparedIsNotNamed(CapturedOutput output) {
    assertThat(with(new Measuring(), new Auditing()).tenant(String.class)).isNull();
    assertThat(warnings(output)).isEmpty();
  }

  @Test
  void aPluginThatIsKnownToLeaveTheRowsIsNotNamed(CapturedOutput output) {
    assertThat(with(new MPJInterceptor()).tenant(String.class)).isNull();
    assertThat(warnings(output)).isEmpty();
  }

  private static List<String> warnings(CapturedOutput output) {
    return output.getAll().lines().filter(line -> line.contains("MyBatis' plugin")).toList();
  }

  private static MyBatisPlugins with(Interceptor... plugins) {
    Configuration configuration = new Configuration();
    List.of(plugins).forEach(configuration::addInterceptor);
    return new MyBatisPlugins(() -> List.of(configuration));
  }

  static class Plugin implements Interceptor {
    @Override
    public Object intercept(Invocation invocation) throws Throwable {
      return invocation.proceed();
    }
  }
}
