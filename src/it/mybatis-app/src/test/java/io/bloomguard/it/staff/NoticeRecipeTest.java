package io.bloomguard.it.staff;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ibatis.executor.Executor;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.plugin.Interceptor;
import org.apache.ibatis.plugin.Intercepts;
import org.apache.ibatis.plugin.Invocation;
import org.apache.ibatis.plugin.Signature;
import org.apache.ibatis.session.ResultHandler;
import org.apache.ibatis.session.RowBounds;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The recipe of the documentation. */
@SpringBootTest(
    properties = {
      "bloomguard.filters.notices.warm-up.mode=blocking",
      "bloomguard.filters.notices.warm-up.min-keys=0",
      "bloomguard.filters.notices.verify.first=0",
      "bloomguard.filters.notices.verify.sample=0"
    })
@Import(NoticeRecipeTest.Queries.class)
class NoticeRecipeTest {

  @Autowired private NoticeMapper notices;
  @Autowired private Queries queries;

  @DynamicPropertySource
  static void database(DynamicPropertyRegistry registry) {
    RealMariaDb.register(registry);
  }

  @Test
  void anAbsentKeyIsRejectedWithoutAQuery() {
    int before = queries.run.get();
    assertThat(notices.findById(999_999L)).isNull();
    assertThat(queries.run.get()).isEqualTo(before);
  }

  @Test
  void aKeyThatIsWrittenIsFound() {
    Notice notice = new Notice("admin", "Hello");
    notices.insert(notice);
    int before = queries.run.get();
    assertThat(notices.findById(notice.getId()).getText()).isEqualTo("Hello");
    assertThat(queries.run.get()).isEqualTo(before + 1);
  }

  /** A count of the queries that MyBatis runs. */
  @Intercepts(
      @Signature(
          type = Executor.class,
          method = "query",
          args = {MappedStatement.class, Object.class, RowBounds.class, ResultHandler.class}))
  static class Queries implements Interceptor {

    private final AtomicInteger run = new AtomicInteger();

    @Override
    public Object intercept(Invocation invocation) throws Throwable {
      run.incrementAndGet();
      return invocation.proceed();
    }
  }
}
