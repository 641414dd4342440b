package io.bloomguard.it.support;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.Locale;
import net.bytebuddy.agent.ByteBuddyAgent;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;
import org.springframework.asm.AnnotationVisitor;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * The mode that the property {@code it.caching} names, in place of {@code AUTO}: the annotations of
 * the application say so once its classes are loaded. One that says {@code NULLS} itself says
 * {@code NONE} in that mode. A project registers it as a service.
 */
public final class CachingMode implements LauncherSessionListener {

  private static final String APPLICATIONS = "io/bloomguard/it/";
  private static final String SUPPORT = APPLICATIONS + "support/";

  @Override
  public void launcherSessionOpened(LauncherSession session) {
    Caching mode =
        Caching.valueOf(System.getProperty("it.caching", "auto").toUpperCase(Locale.ROOT));
    if (mode != Caching.AUTO) {
      ByteBuddyAgent.install().addTransformer(new Transformer(mode));
    }
  }

  private record Transformer(Caching mode) implements ClassFileTransformer {

    @Override
    public byte[] transform(
        ClassLoader loader,
        String name,
        Class<?> redefined,
        ProtectionDomain domain,
        byte[] bytes) {
      if (name == null || !name.startsWith(APPLICATIONS) || name.startsWith(SUPPORT)) {
        return null;
      }
      ClassWriter written = new ClassWriter(0);
      new ClassReader(bytes).accept(new Annotated(written, mode), 0);
      return written.toByteArray();
    }
  }

  /** Passes a class on with the mode in its annotations. */
  private static final class Annotated extends ClassVisitor {

    private final Caching mode;

    Annotated(ClassVisitor next, Caching mode) {
      super(SpringAsmInfo.ASM_VERSION, next);
      this.mode = mode;
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      MethodVisitor method = super.visitMethod(access, name, descriptor, signature, exceptions);
      return new MethodVisitor(SpringAsmInfo.ASM_VERSION, method) {
        @Override
        public AnnotationVisitor visitAnnotation(String type, boolean visible) {
          AnnotationVisitor annotation = super.visitAnnotation(type, visible);
          return type.equals(Type.getDescriptor(BloomGuarded.class))
              ? withMode(annotation)
              : annotation;
        }
      };
    }

    private AnnotationVisitor withMode(AnnotationVisitor annotation) {
      return new AnnotationVisitor(SpringAsmInfo.ASM_VERSION, annotation) {
        private boolean said;

        @Override
        public void visitEnum(String name, String type, String value) {
          boolean caching = name.equals("caching");
          said |= caching;
          super.visitEnum(name, type, caching && mode == Caching.NONE ? mode.name() : value);
        }

        @Override
        public void visitEnd() {
          if (!said) {
            super.visitEnum("caching", Type.getDescriptor(Caching.class), mode.name());
          }
          super.visitEnd();
        }
      };
    }
  }
}
