// The room an element has, for pictures that are drawn to fit it.
import { useEffect, useRef, useState } from "preact/hooks";

export function useWidth() {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const watch = new ResizeObserver(([e]) => {
      const now = Math.floor(e!.contentRect.width);
      if (now > 0) setWidth(now); // nothing is drawn while it is hidden
    });
    watch.observe(ref.current!);
    return () => watch.disconnect();
  }, []);
  return [ref, width] as const;
}
