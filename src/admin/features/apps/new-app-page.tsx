import { Text } from '@mantine/core'
import { IconFilePlus } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { AppIcon } from '#admin/ui/app-icon.tsx'
import { CardGrid, CardItem } from '#admin/ui/card-grid.tsx'
import { Page } from '#admin/ui/page.tsx'
import type { AppTemplate } from '#shared/contract/templates.ts'
import { openNewAppDialog } from './new-app-dialog.tsx'
import classes from './new-app-page.module.css'
import { templatesQuery } from './templates.queries.ts'
import { openUseTemplateDialog } from './use-template-dialog.tsx'

/** `/{p}/-/apps/new`: what a new app is made of. */
export function NewAppPage() {
  const t = useTranslations('templates')
  const { p } = spaceRoute.useParams()
  const { data: templates } = useSuspenseQuery(templatesQuery(p))
  return (
    <Page title={t('title')} description={t('text')}>
      <CardGrid label={t('title')}>
        <CardItem
          icon={<IconFilePlus size={22} stroke={1.6} aria-hidden="true" />}
          title={(className) => (
            <button
              type="button"
              className={`${className} ${classes.choose}`}
              onClick={() => openNewAppDialog(p, t('title'))}
            >
              {t('empty')}
            </button>
          )}
          description={<Text size="sm">{t('emptyText')}</Text>}
        />
        {templates.map((template) => (
          <TemplateCard key={template._id} p={p} template={template} />
        ))}
      </CardGrid>
    </Page>
  )
}

function TemplateCard({ p, template }: { p: string; template: AppTemplate }) {
  const t = useTranslations('templates')
  const documents = template.models.reduce((sum, model) => sum + model.documents, 0)
  return (
    <CardItem
      cover={template.cover?.value}
      icon={<AppIcon app={template} size={24} />}
      title={(className) => (
        <button
          type="button"
          className={`${className} ${classes.choose}`}
          onClick={() => openUseTemplateDialog(p, template, t('use.title', { name: template.name }))}
        >
          {template.name}
        </button>
      )}
      description={<Text size="sm">{template.description}</Text>}
      meta={<span>{t('models', { models: template.models.length, documents })}</span>}
    />
  )
}
