package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.aop.MappedStatements;
import org.apache.ibatis.annotations.Update;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.defaults.DefaultSqlSessionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The statements of MyBatis are asked where the application has it. */
@ExtendWith(OutputCaptureExtension.class)
public class MapperWiringTest {

  public interface Users {
    @BloomGuarded(filter = "users", key = "#name")
    @Nullable String find(String name);

    @Update("update users set enabled = false where id = #{id}")
    int disable(long id);
  }

  private final ApplicationContextRunner application =
      Wiring.application()
          .withPropertyValues("bloomguard.filters.users.source.added-only=true")
          .withBean(Users.class, () -> new MappedUsers());

  /** In place of MyBatis' proxy. */
  static class MappedUsers implements Users {
    @Override
    public @Nullable String find(String name) {
      return null;
    }

    @Override
    public int disable(long id) {
      return 0;
    }
  }

  @Test
  void aWriteOfAMapperIsSeenByItsStatement(CapturedOutput output) {
    Configuration configuration = new Configuration();
    configuration.addMapper(Users.class);
    application
        .withBean(SqlSessionFactory.class, () -> new DefaultSqlSessionFactory(configuration))
        .run(context -> assertThat(context).hasNotFailed());
    assertThat(output).contains("without telling the guard: disable(long) ('users')");
  }

  @Test
  void anApplicationWithoutMyBatisHasNoStatements() {
    application
        .withClassLoader(new FilteredClassLoader("org.apache.ibatis"))
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(MappedStatements.class));
  }
}
