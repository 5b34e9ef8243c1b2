import { Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import classes from './section.module.css'

interface SectionProps {
  title: string
  description?: ReactNode
  actions?: ReactNode
  danger?: boolean
  children: ReactNode
}

/** A part of a settings page with one subject and one form. */
export function Section({ title, description, actions, danger, children }: SectionProps) {
  const id = useId()
  return (
    <section className={classes.section} data-danger={danger || undefined} aria-labelledby={id}>
      <div className={classes.head}>
        <div className={classes.text}>
          <Title order={2} id={id}>
            {title}
          </Title>
          {description && (
            <Text size="sm" c="dimmed">
              {description}
            </Text>
          )}
        </div>
        {actions}
      </div>
      <div className={classes.body}>{children}</div>
    </section>
  )
}
