import { Alert, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** A section of the settings with its own heading. */
export function Section({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <section>
      <Title order={3} mb={hint ? 0 : 'xs'}>
        {title}
      </Title>
      {hint && (
        <Text size="xs" c="dimmed" mb="xs">
          {hint}
        </Text>
      )}
      {children}
    </section>
  )
}

/** A warning about a setting, for example about its effect on existing documents. */
export function Warning({ children }: { children: ReactNode }) {
  return (
    <Alert color="yellow" variant="light" role="status" p="xs">
      {children}
    </Alert>
  )
}
