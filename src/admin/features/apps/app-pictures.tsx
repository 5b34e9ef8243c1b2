import { Stack } from '@mantine/core'
import { IconPhoto } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { appQuery, appsQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { OwnPicture } from '#admin/media/own-picture.tsx'
import { AppIcon } from '#admin/ui/app-icon.tsx'
import { Section } from '#admin/ui/section.tsx'
import type { App } from '#shared/contract/apps.ts'

/** The pictures of the app: an icon, which replaces the emoji, and a cover. */
export function AppPictures({ p, app }: { p: string; app: App }) {
  const t = useTranslations('assets.appPictures')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const params = { p, a: app.uid }
  const after = async (call: Promise<{ app: App }>) => {
    const { app: saved } = await call
    queryClient.setQueryData(appQuery(p, app.uid).queryKey, saved)
    await queryClient.invalidateQueries({ queryKey: appsQuery(p).queryKey })
    toast.success(common('saved'))
  }
  return (
    <Section title={t('title')} description={t('text')}>
      <Stack gap="lg">
        <OwnPicture
          label={t('icon')}
          hint={t('iconHint')}
          src={app.icon?.type === 'image' ? app.icon.value : null}
          shape="square"
          upload={(body) => after(api('POST /api/project/{p}/app/{a}/icon', { params, body }))}
          remove={() =>
            after(api('PUT /api/project/{p}/app/{a}', { params, body: { data: { icon: null } } }))
          }
        >
          <AppIcon app={app} size={32} />
        </OwnPicture>
        <OwnPicture
          label={t('cover')}
          hint={t('coverHint')}
          src={app.cover?.value ?? null}
          shape="wide"
          upload={(body) => after(api('POST /api/project/{p}/app/{a}/cover', { params, body }))}
          remove={() =>
            after(api('PUT /api/project/{p}/app/{a}', { params, body: { data: { cover: null } } }))
          }
        >
          <IconPhoto size={28} stroke={1.4} />
        </OwnPicture>
      </Stack>
    </Section>
  )
}
