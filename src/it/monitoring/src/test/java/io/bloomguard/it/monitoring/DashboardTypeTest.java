package io.bloomguard.it.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.it.support.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The dashboard has the type that Grafana publishes for dashboards, panels and their options. */
class DashboardTypeTest {

  private static final Path SOURCES = Path.of("src/test/grafana").toAbsolutePath();

  @Test
  void grafanasTypesFitTheDashboard() throws Exception {
    Program node = Required.program("node", "nodejs");
    Program npm = Required.program("npm", "npm");
    Path work = Files.createDirectories(Path.of(System.getProperty("it.work"), "grafana"));
    for (String file : List.of("package.json", "dashboard-type.ts")) {
      Files.copy(SOURCES.resolve(file), work.resolve(file), StandardCopyOption.REPLACE_EXISTING);
    }
    Program.Ended installed =
        npm.run(work, "install", "--no-audit", "--no-fund", "--no-package-lock");
    if (installed.status() != 0) {
      Required.missing("npm could not install Grafana's schema:\n" + installed.output());
    }
    Files.writeString(
        work.resolve("bloomguard.ts"),
        "import type { Dashboard } from './dashboard-type';\nexport const dashboard: Dashboard = "
            + Files.readString(Dashboard.FILE));

    Program.Ended checked =
        node.run(
            work,
            "node_modules/typescript/bin/tsc",
            "--noEmit",
            "--strict",
            "--skipLibCheck",
            "--target",
            "es2022",
            "--module",
            "esnext",
            "--moduleResolution",
            "bundler",
            "bloomguard.ts");
    assertThat(checked.status()).as(checked.output()).isZero();
  }
}
