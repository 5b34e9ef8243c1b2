import { Select, Stack } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { Model } from '#shared/contract/models.ts'
import type { ViewSettings } from '#shared/contract/views.ts'
import { cardSizes, coverAspects, type SystemColumn, type ViewType } from '#shared/views.ts'
import { systemKey } from '../list/list-columns.ts'
import { coverFields, daySources } from './day-sources.ts'

interface LayoutSettingsProps {
  model: Pick<Model, 'fields'>
  type: ViewType
  settings: ViewSettings
  onChange: (settings: ViewSettings) => void
}

/** The settings of one layout: the picture and cards of a gallery, or the day of a calendar. */
export function LayoutSettings({ model, type, settings, onChange }: LayoutSettingsProps) {
  const t = useTranslations('views')
  const columns = useTranslations('documents.list.columnNames')
  if (type === 'CALENDAR') {
    const sources = daySources(model)
    return (
      <Select
        label={t('date')}
        data={sources.map(({ name, field }) => ({
          value: name,
          label: field?.name ?? columns(systemKey(name as SystemColumn)),
        }))}
        value={sources.find(({ name }) => name === settings.date)?.name ?? sources[0]?.name ?? null}
        allowDeselect={false}
        onChange={(date) => date && onChange({ ...settings, date })}
      />
    )
  }
  if (type !== 'GALLERY') return null
  const covers = coverFields(model)
  return (
    <Stack gap="sm">
      <Select
        label={t('cover')}
        placeholder={t('noCover')}
        data={covers.map(({ uid, name }) => ({ value: uid, label: name }))}
        value={covers.find(({ uid }) => uid === settings.cover)?.uid ?? covers[0]?.uid ?? null}
        allowDeselect={false}
        disabled={covers.length === 0}
        onChange={(cover) => cover && onChange({ ...settings, cover })}
      />
      <Select
        label={t('aspect')}
        data={coverAspects.map((value) => ({ value, label: t(`aspects.${value}`) }))}
        value={settings.aspect ?? 'landscape'}
        allowDeselect={false}
        onChange={(value) => {
          const aspect = coverAspects.find((one) => one === value)
          if (aspect) onChange({ ...settings, aspect })
        }}
      />
      <Select
        label={t('size')}
        data={cardSizes.map((value) => ({ value, label: t(`sizes.${value}`) }))}
        value={settings.size ?? 'medium'}
        allowDeselect={false}
        onChange={(value) => {
          const size = cardSizes.find((one) => one === value)
          if (size) onChange({ ...settings, size })
        }}
      />
    </Stack>
  )
}
