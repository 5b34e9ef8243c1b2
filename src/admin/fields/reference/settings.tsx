import { MultiSelect } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { isHiddenModelName, maximumTargets, reference } from '#shared/fields/reference.ts'
import type { FieldSettingsProps } from '../field-props.ts'
import { targetUids } from './target-uids.ts'

/** The setting of the referenced models. */
export function ReferenceSettingsForm(props: FieldSettingsProps<'REFERENCE'>) {
  const { field, onChange, onBlur, problem, readOnly, models } = props
  const t = useTranslations('models.settings')
  const chosen = targetUids(field)
  const problems = ['modelUid', ...chosen.slice(1).map((_, index) => `otherModelUids.${index}`)].map(problem)
  const names = new Map(models.map(({ uid, label }) => [uid, label]))
  const nameOf = (uid: string) => names.get(uid) ?? (isHiddenModelName(uid) ? t('hiddenModel') : uid)
  // Selected models that are deleted or hidden from the user are shown too, so that the user can remove them.
  const known = [...new Set([...models.map(({ uid }) => uid), ...chosen])]
  return (
    <MultiSelect
      label={t('model')}
      description={t('modelHint')}
      placeholder={chosen.length === 0 ? t('modelPlaceholder') : ''}
      nothingFoundMessage={t('noModels')}
      data={known.map((uid) => ({ value: uid, label: nameOf(uid) }))}
      value={chosen}
      error={problems.find(Boolean)}
      readOnly={readOnly}
      searchable={models.length > 7}
      maxValues={maximumTargets}
      withAsterisk
      onChange={(uids) => onChange(reference.reference.pointTo(uids))}
      onBlur={() => onBlur('modelUid')}
    />
  )
}
