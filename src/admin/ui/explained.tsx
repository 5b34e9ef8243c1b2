import { Tooltip, UnstyledButton } from '@mantine/core'
import type { ReactNode } from 'react'

interface ExplainedProps {
  /** The text of the tooltip; null: no tooltip. */
  text: string | null
  children: ReactNode
}

/** A short text with a tooltip that opens on hover, keyboard focus and touch. */
export function Explained({ text, children }: ExplainedProps) {
  if (text === null) return children
  return (
    <Tooltip label={text} multiline maw="min(320px, 90vw)" events={{ hover: true, focus: true, touch: true }}>
      <UnstyledButton style={{ cursor: 'help' }}>{children}</UnstyledButton>
    </Tooltip>
  )
}
