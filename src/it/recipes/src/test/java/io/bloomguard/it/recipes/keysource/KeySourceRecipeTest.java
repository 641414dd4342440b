package io.bloomguard.it.recipes.keysource;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Import;

@SpringBootTest(
    webEnvironment = WebEnvironment.NONE,
    properties = {
      "spring.config.name=keysource",
      "bloomguard.filters.vouchers.warm-up.mode=blocking",
      "bloomguard.filters.vouchers.verify.first=0",
      "bloomguard.filters.vouchers.verify.sample=0"
    })
@Import(KeySourceRecipeTest.Remote.class)
class KeySourceRecipeTest {

  @Autowired private Vouchers vouchers;
  @Autowired private Remote remote;

  @Test
  void anAbsentKeyIsRejectedWithoutACall() {
    int before = remote.calls.get();
    assertThat(vouchers.find("none")).isNull();
    assertThat(remote.calls.get()).isEqualTo(before);
  }

  @Test
  void aKeyOfEveryPageIsFound() {
    assertThat(vouchers.find("v0")).isNotNull();
    assertThat(vouchers.find("v29")).isNotNull();
  }

  @Test
  void aKeyThatIsWrittenIsFound() {
    assertThat(vouchers.find("new")).isNull();
    vouchers.issue(new Voucher("new", 500));
    assertThat(vouchers.find("new").cents()).isEqualTo(500);
  }

  /** Thirty vouchers on three pages. */
  static class Remote implements VoucherService {

    private final Map<String, Voucher> vouchers = new ConcurrentHashMap<>();
    private final AtomicInteger calls = new AtomicInteger();

    Remote() {
      for (int i = 0; i < 30; i++) {
        issue(new Voucher("v" + i, 100));
      }
    }

    @Override
    public List<String> codes(int page) {
      return vouchers.keySet().stream().sorted().skip(page * 10L).limit(10).toList();
    }

    @Override
    public Voucher find(String code) {
      calls.incrementAndGet();
      return vouchers.get(code);
    }

    @Override
    public void issue(Voucher voucher) {
      vouchers.put(voucher.code(), voucher);
    }
  }
}
