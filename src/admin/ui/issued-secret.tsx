import { Group, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { CopyField } from './copy-field.tsx'
import classes from './issued-secret.module.css'

interface IssuedSecretProps {
  title: string
  text: string
  label: string
  value: string
  copyLabel: string
  /** Instructions for using the secret. */
  usage?: ReactNode
  children: ReactNode
}

/**
 * A new secret, which is shown only once. It is part of the page instead of a dialog, so that the user does not close
 * it by accident.
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
