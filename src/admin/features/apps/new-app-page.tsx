import { ActionIcon, Badge, Menu, Text } from '@mantine/core'
import { IconDots, IconFilePlus, IconTrash, IconTruckDelivery } from '@tabler/icons-react'
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { api } from '#admin/lib/api.ts'
import { toast } from '#admin/lib/toast.ts'
import { AppIcon } from '#admin/ui/app-icon.tsx'
import { CardGrid, CardItem } from '#admin/ui/card-grid.tsx'
import { confirm } from '#admin/ui/confirm.tsx'
import { Page } from '#admin/ui/page.tsx'
import type { AppTemplate } from '#shared/contract/templates.ts'
import { openNewAppDialog } from './new-app-dialog.tsx'
import classes from './new-app-page.module.css'
import { templatesQuery } from './templates.queries.ts'
import { openUseTemplateDialog } from './use-template-dialog.tsx'

/** `/{p}/-/apps/new`: the ways to create an app. */
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
        <CardItem
          icon={<IconTruckDelivery size={22} stroke={1.6} aria-hidden="true" />}
          title={(className) => (
            <Link className={className} to="/$p/-/moves" params={{ p }}>
              {t('moveIn')}
            </Link>
          )}
          description={<Text size="sm">{t('moveInText')}</Text>}
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
      meta={
        <>
          {template.version !== null && (
            <Badge variant="light" tt="none">
              {t('own')}
            </Badge>
          )}
          {template.version !== null && <span>{t('version', { version: template.version })}</span>}
          <span>{t('models', { models: template.models.length, documents })}</span>
        </>
      }
      menu={template.deletable && <TemplateMenu p={p} template={template} />}
    />
  )
}

function TemplateMenu({ p, template: { _id, name } }: { p: string; template: AppTemplate }) {
  const t = useTranslations('templates.remove')
  const queryClient = useQueryClient()
  const remove = () =>
    confirm({
      title: t('title'),
      message: t('text', { name }),
      action: t('confirm'),
      danger: true,
      run: async () => {
        await api('DELETE /api/project/{p}/appTemplate/{t}', { params: { p, t: _id } })
        await queryClient.invalidateQueries({ queryKey: templatesQuery(p).queryKey })
        toast.success(t('done', { name }))
      },
    })
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('menu', { name })}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconTrash size={16} />} onClick={remove}>
          {t('action')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
