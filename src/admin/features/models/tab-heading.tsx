import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import classes from './field-list.module.css'

interface TabHeadingProps {
  /** null: the heading of fields without a tab. */
  name: string | null
  readOnly: boolean
  onRename: (to: string | null) => void
}

/**
 * An input for a tab's name. A new name is applied on blur: a partly typed name could equal the name of another tab and
 * merge both.
 */
export function TabHeading({ name, readOnly, onRename }: TabHeadingProps) {
  const t = useTranslations('models.layout')
  const [typed, setTyped] = useState(name ?? '')
  const commit = () => {
    if ((typed.trim() || null) !== name) onRename(typed.trim() || null)
  }
  return (
    <TextInput
      className={classes.tab ?? ''}
      variant="unstyled"
      aria-label={t('tabName')}
      placeholder={t('noTab')}
      value={typed}
      readOnly={readOnly}
      maxLength={50}
      autoComplete="off"
      onChange={(event) => setTyped(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !event.nativeEvent.isComposing) event.currentTarget.blur()
      }}
      onBlur={commit}
    />
  )
}
