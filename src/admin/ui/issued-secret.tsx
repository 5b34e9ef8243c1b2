import { Group, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { CopyField } from './copy-field.tsx'
import classes from './issued-secret.module.css'

interface IssuedSecretProps {
  title: string
  text: string
  /** What the secret is. */
  label: string
  value: string
  copyLabel: string
  /** How the secret is used. */
  usage?: ReactNode
  /** The buttons that lead on. */
  children: ReactNode
}

/**
 * A new secret, which is shown only once. It is on the page instead of in a dialog, so that it is not closed by accident.
 */
export function IssuedSecret({ title, text, label, value, copyLabel, usage, children }: IssuedSecretProps) {
  const panel = useRef<HTMLElement>(null)
  useEffect(() => {
    panel.current?.focus()
    panel.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <section className={classes.issued} ref={panel} tabIndex={-1} aria-labelledby="issued-title">
      <Title order={2} id="issued-title">
        {title}
      </Title>
      <Text size="sm" mb="sm">
        {text}
      </Text>
      <CopyField label={label} value={value} copyLabel={copyLabel} />
      {usage}
      <Group mt="md">{children}</Group>
    </section>
  )
}
