import { Tooltip, UnstyledButton } from '@mantine/core'
import type { ReactNode } from 'react'

interface ExplainedProps {
  /** Null: it needs no explanation. */
  text: string | null
  /** A few words. */
  children: ReactNode
}

/** Words with an explanation beside them: for who points at them, comes to them by the keyboard or taps them. */
export function Explained({ text, children }: ExplainedProps) {
  if (text === null) return children
  return (
    <Tooltip label={text} multiline maw="min(320px, 90vw)" events={{ hover: true, focus: true, touch: true }}>
      <UnstyledButton style={{ cursor: 'help' }}>{children}</UnstyledButton>
    </Tooltip>
  )
}
