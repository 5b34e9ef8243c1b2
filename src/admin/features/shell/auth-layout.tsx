import { Button, Group, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { setVisitorLanguage, useVisitorLanguage } from '#admin/i18n/visitor-language.ts'
import { Mark } from '#admin/ui/mark.tsx'
import { useDocumentTitle } from '#admin/ui/page.tsx'
import { languages } from '#shared/languages.ts'
import classes from './auth-layout.module.css'

/**
 * The layout of pages such as login, sign-up and password reset: branding at the left (above on small screens), the
 * form at the right.
 */
export function AuthLayout({ title, children }: { title: string; children: ReactNode }) {
  const t = useTranslations('accounts.guest')
  const language = useVisitorLanguage()
  useDocumentTitle(title)
  return (
    <div className={classes.screen}>
      <header className={classes.brand}>
        <div className={classes.name}>
          <Mark size={40} />
          Imori
        </div>
        <p className={classes.words}>
          {t('words')}
          <small>{t('wordsBelow')}</small>
        </p>
      </header>
      <main className={classes.side}>
        <Group gap={4} className={classes.languages} role="group" aria-label={t('language')}>
          {languages.map((one) => (
            <Button
              key={one}
              size="compact-sm"
              variant={one === language ? 'light' : 'subtle'}
              color={one === language ? 'mizu' : 'gray'}
              aria-pressed={one === language}
              lang={one}
              onClick={() => setVisitorLanguage(one)}
            >
              {t(`languages.${one}`)}
            </Button>
          ))}
        </Group>
        <div className={classes.form}>
          <Title order={1} mb="lg">
            {title}
          </Title>
          {children}
        </div>
      </main>
    </div>
  )
}
