import { ActionIcon, Text, Tooltip } from '@mantine/core'
import { IconMaximize, IconMinimize } from '@tabler/icons-react'
import {
  createContext,
  type KeyboardEvent,
  type ReactNode,
  use,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useTranslations } from 'use-intl'
import { isComposing } from '#admin/lib/composing.ts'
import { useLayer } from '#admin/lib/layers.ts'
import { isPressed, shortcutText } from '#admin/lib/shortcuts.ts'
import { fillVisiblePart, freeAncestors, showCaret, tabInside } from './fill-window.ts'
import classes from './full-screen.module.css'

/** The shortcut that toggles full screen for the focused text. */
export const fullScreenKeys = 'mod+shift+f'

interface FullScreen {
  isFull: boolean
  toggle: () => void
}

const FullScreenContext = createContext<FullScreen | null>(null)

interface FullScreenFrameProps {
  name: string
  /** The editor. Its height must be able to grow. */
  children: ReactNode
  foot: ReactNode
}

/**
 * Wraps a long text that can fill the window. The editor keeps its position in the DOM, so that selection, composition
 * and undo history are not lost. Escape leaves full screen unless another layer is above it.
 */
export function FullScreenFrame({ name, children, foot }: FullScreenFrameProps) {
  const t = useTranslations('fields.fullScreen')
  const [isFull, setFull] = useState(false)
  const frame = useRef<HTMLDivElement>(null)
  useLayer(isFull, () => setFull(false))
  const context = useMemo(() => ({ isFull, toggle: () => setFull((before) => !before) }), [isFull])

  useLayoutEffect(() => {
    if (!isFull || !frame.current) return
    const undo = [freeAncestors(frame.current), fillVisiblePart(frame.current)]
    return () => {
      for (const end of undo) end()
    }
  }, [isFull])

  // Does not run on mount, because the caret may be elsewhere on the page.
  const wasFull = useRef(false)
  useEffect(() => {
    if (wasFull.current === isFull || !frame.current) return
    wasFull.current = isFull
    showCaret(frame.current)
  }, [isFull])

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    if (isComposing(event) || event.defaultPrevented) return
    if (isPressed(event.nativeEvent, fullScreenKeys)) {
      event.preventDefault()
      context.toggle()
    } else if (isFull && event.key === 'Tab') tabInside(event.nativeEvent, event.currentTarget)
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the element is a dialog while it handles Tab.
    <div
      ref={frame}
      className={classes.frame}
      data-full-screen={isFull || undefined}
      onKeyDown={onKeyDown}
      {...(isFull ? { role: 'dialog', 'aria-modal': true, 'aria-label': t('of', { name }) } : {})}
    >
      <FullScreenContext value={context}>
        <div className={classes.body}>{children}</div>
        <div className={classes.foot}>
          {isFull && (
            <Text size="sm" fw={600} truncate aria-hidden="true">
              {name}
            </Text>
          )}
          <div className={classes.end}>{foot}</div>
        </div>
      </FullScreenContext>
    </div>
  )
}

/** Toggles full screen for the surrounding frame. */
export function FullScreenButton() {
  const t = useTranslations('fields.fullScreen')
  const screen = use(FullScreenContext)
  if (!screen) return null
  const label = t(screen.isFull ? 'leave' : 'enter')
  const Icon = screen.isFull ? IconMinimize : IconMaximize
  return (
    <Tooltip label={`${label} ${shortcutText(fullScreenKeys)}`}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={30}
        aria-label={label}
        aria-pressed={screen.isFull}
        // Keeps the caret in the text.
        onMouseDown={(event) => event.preventDefault()}
        onClick={screen.toggle}
      >
        <Icon size={17} />
      </ActionIcon>
    </Tooltip>
  )
}
