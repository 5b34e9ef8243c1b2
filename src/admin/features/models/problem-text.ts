import { useTranslations } from 'use-intl'
import { fieldIssueText } from '#admin/fields/issue-text.ts'
import { issueText } from '#admin/lib/errors.ts'
import { uidText } from '#admin/lib/uid.ts'
import type { FieldDraft, ModelDraft } from './draft.ts'
import type { PlacedIssue } from './issues.ts'

/** Says what is wrong with a model or one of its fields, in words that fit the place. */
export function useProblemText(): (issue: PlacedIssue, of: FieldDraft | ModelDraft) => string {
  const t = useTranslations('models.problem')
  return (issue, of) => {
    const { key, property, code } = issue
    const ofField = key !== null
    if (property === 'uid') {
      if (code === 'DuplicatedValue') return ofField ? t('uidTaken') : t('modelUidTaken')
      return uidText(ofField ? 'field' : 'model', of.uid) ?? issueText(issue)
    }
    if (property === 'unique' && code === 'DuplicatedValue') return t('notUnique')
    if (property === 'pattern') return t('pattern')
    if (property === 'modelUid' && code === 'InvalidValue') return t('modelMissing')
    if (property.startsWith('options.')) {
      if (code === 'DuplicatedValue') return t('optionTaken')
      if (code === 'InvalidType') return t('number')
      if (code === 'TooFewCharacters' || code === 'InvalidValue') return t('optionEmpty')
    }
    if (/^(?:min|max)(?:Length|Items)$/.test(property) && code === 'InvalidType') return t('wholeNumber')
    if (code === 'InvalidType') return t('number')
    return 'type' in of ? fieldIssueText(of, issue) : issueText(issue)
  }
}
