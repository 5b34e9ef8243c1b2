import { Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import classes from './page.module.css'

interface PageProps {
  title: string
  /** Shown before the title, such as an app's emoji. */
  icon?: ReactNode
  description?: ReactNode
  actions?: ReactNode
  width?: 'narrow' | 'normal' | 'full'
  children: ReactNode
}

/** A page inside the app frame, with heading, actions and content. Also sets the document title. */
export function Page({ title, icon, description, actions, width = 'normal', children }: PageProps) {
  useDocumentTitle(title)
  return (
    <div className={classes.page} data-width={width}>
      <header className={classes.header}>
        <div className={classes.titles}>
          <Title order={1}>
            {icon}
            <span>{title}</span>
          </Title>
          {description && (
            <Text c="dimmed" size="sm" mt={4}>
              {description}
            </Text>
          )}
        </div>
        {actions && <div className={classes.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** Sets the document title: `記事 – Imori`. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title} – Imori` : 'Imori'
  }, [title])
}
