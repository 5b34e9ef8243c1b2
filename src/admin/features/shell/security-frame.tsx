import { IconLock } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { Page } from '#admin/ui/page.tsx'
import { PageTabs } from '#admin/ui/page-tabs.tsx'
import { EmptyState } from '#admin/ui/states.tsx'

interface Props {
  p: string
  title: string
  text: string
  children: ReactNode
}

/** A page about who comes into a space, and how, for who may decide that; beside the other ones. */
export function SecurityFrame({ p, title, text, children }: Props) {
  const t = useTranslations('security')
  const can = useCanInSpace(p)
  return (
    <Page title={title} description={text} width="narrow">
      {can('security.manage') ? (
        <>
          <PageTabs
            label={t('tabs.label')}
            pages={[
              { to: '/$p/-/security', label: t('tabs.rules') },
              { to: '/$p/-/sso', label: t('tabs.sso') },
              { to: '/$p/-/group-roles', label: t('tabs.groupRoles') },
              { to: '/$p/-/scim', label: t('tabs.scim') },
            ]}
          />
          {children}
        </>
      ) : (
        <EmptyState
          icon={<IconLock size={36} stroke={1.4} aria-hidden="true" />}
          title={t('forbidden')}
          text={t('forbiddenText')}
        />
      )}
    </Page>
  )
}
